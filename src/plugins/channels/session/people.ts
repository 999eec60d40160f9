import type { Channels } from "../channels.ts";
import { holds, type Link } from "../people/links.ts";
import { findLinkToAsk, readNotify } from "../people/notify.ts";
import type { NotifySettings } from "../../../cairn/core/quiet.ts";
import type { People } from "../../../cairn/config/rights.ts";
import type { PeopleReader } from "../../../cairn/session/background/notes.ts";

/**
 * A person's notification settings, or the deployment's default. `zone`: the session's time zone, for people without
 * one.
 */
export function createPeopleReader({
  db,
  channels,
  notifyDefaults,
  people = null,
  zone,
}: {
  readonly db: D1Database;
  readonly channels: Channels;
  readonly notifyDefaults: NotifySettings;
  /** null: nobody's rights end */
  readonly people?: People | null;
  readonly zone: () => string | null;
}): PeopleReader {
  const isOpen = (link: Link): boolean =>
    channels.find(link.channel) !== null && holds(people, link, Date.now());
  return {
    timesOf: async (subject) => {
      const { zone: own, quiet } = await readNotify(db, subject, notifyDefaults);
      return { quiet, zone: own ?? zone() };
    },
    channelOf: async (subject) => {
      const link = await findLinkToAsk(db, subject, notifyDefaults, isOpen);
      return link === null ? null : { channel: link.channel, place: link.place };
    },
  };
}
