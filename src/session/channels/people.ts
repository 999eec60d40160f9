import type { Channels } from "../../channels/create.ts";
import { findLinkToAsk, readNotify } from "../../channels/people/notify.ts";
import type { NotifySettings } from "../../core/quiet.ts";
import type { PeopleReader } from "./notes.ts";

/** How people are told, as they have said it, or the deployment for them. `zone`: that of the session, for who has named none. */
export function createPeopleReader({
  db,
  channels,
  notifyDefaults,
  zone,
}: {
  readonly db: D1Database;
  readonly channels: Channels;
  readonly notifyDefaults: NotifySettings;
  readonly zone: () => string | null;
}): PeopleReader {
  const has = (name: string): boolean => channels.find(name) !== null;
  return {
    timesOf: async (subject) => {
      const { zone: own, quiet } = await readNotify(db, subject, notifyDefaults);
      return { quiet, zone: own ?? zone() };
    },
    placeOf: async (subject) => {
      const link = await findLinkToAsk(db, subject, notifyDefaults, has);
      return link === null ? null : { channel: link.channel, place: link.place };
    },
  };
}
