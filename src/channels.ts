import type { NotifySettings } from "./plugins/channels/plugin.ts";

/**
 * How people are told who have not said it themselves (Preferences, or `PUT /api/me/notify`). `zone`: a name of the IANA list,
 * where all of them live by one clock; `quiet`: hours in which what nobody asked for waits, or null for none; `ask`: `auto`
 * sends approvals and questions to where somebody linked last, `page` leaves them on the page.
 */
export const notifyDefaults: NotifySettings = {
  zone: null,
  quiet: { from: "22:00", to: "07:00" },
  ask: "auto",
};
