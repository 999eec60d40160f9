import { email } from "./plugins/channels/email/plugin.ts";
import { channels, type Address, type NotifySettings } from "./plugins/channels/plugin.ts";
import { slack } from "./plugins/channels/slack/plugin.ts";
import { telegram } from "./plugins/channels/telegram/plugin.ts";
import { webpush } from "./plugins/channels/webpush/plugin.ts";

/**
 * When and where people are notified who have not chosen it themselves (Preferences, or `PUT /api/me/notify`). `zone`: a name of
 * the IANA list, where all of them live by one clock; `quiet`: hours in which unrequested messages wait, or null for none; `ask`:
 * `auto` sends approvals and questions to the channel that the person linked last, `page` leaves them on the page.
 */
export const notifyDefaults: NotifySettings = {
  zone: null,
  quiet: { from: "22:00", to: "07:00" },
  ask: "auto",
};

/**
 * Places that the agent may write to in addition to the person who asked, by the names that `send_message` uses: an address is
 * never made from a model's words. An admin's run asks a person before it writes to one; a member's run may not.
 *
 *     team: { channel: "telegram", place: "-1001234567890" },
 */
const addresses: Readonly<Record<string, Address>> = {};

/** How this deployment reaches people. `alone`: addresses that webhooks and schedules may write to without a person. */
export const people = channels({
  vendors: [webpush(), email(), telegram(), slack()],
  notify: notifyDefaults,
  addresses,
  alone: [],
});
