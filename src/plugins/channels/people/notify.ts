import * as z from "zod";
import { addressName, type ChannelName } from "../../../cairn/core/address.ts";
import type { NotifySettings } from "../../../cairn/core/quiet.ts";
import { quietSchema } from "../protocol/notify.ts";
import { listLinks, type Link } from "./links.ts";

/** Notification settings of people, and their chats. */

export interface PersonChat {
  /** such as `telegram:4711` */
  readonly id: string;
  readonly channel: ChannelName;
  /** for people to read */
  readonly name: string;
  /** it has shut us out */
  readonly blocked: boolean;
}

export async function readNotify(
  db: D1Database,
  subject: string,
  defaults: NotifySettings,
): Promise<NotifySettings> {
  const row = await db
    .prepare("SELECT zone, quiet, ask FROM person_settings WHERE subject = ?1")
    .bind(subject)
    .first();
  if (row === null) return defaults;
  const { zone, quiet, ask } = rowSchema.parse(row);
  return {
    zone,
    ask,
    quiet: quiet === null ? null : quietSchema.parse(JSON.parse(quiet)),
  };
}

const rowSchema = z.object({ zone: z.string().nullable(), quiet: z.string().nullable(), ask: z.string() });

export async function writeNotify(
  db: D1Database,
  subject: string,
  { zone, quiet, ask }: NotifySettings,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO person_settings (subject, zone, quiet, ask) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (subject) DO UPDATE SET zone = ?2, quiet = ?3, ask = ?4`,
    )
    .bind(subject, zone, quiet === null ? null : JSON.stringify(quiet), ask)
    .run();
}

/** Where a person was linked, the newest first. */
export async function listChats(db: D1Database, subject: string): Promise<readonly PersonChat[]> {
  const links = await listLinks(db, subject);
  if (links.length === 0) return [];
  const { results } = await db
    .prepare(
      `SELECT channel, place FROM channel_places WHERE blocked_at IS NOT NULL AND thread = ''
        AND (channel, place) IN (SELECT channel, place FROM channel_links WHERE subject = ?1)`,
    )
    .bind(subject)
    .all<{ channel: string; place: string }>();
  const shut = new Set(results.map(({ channel, place }) => `${channel}:${place}`));
  const places = links.map(({ channel, place, user }) => {
    const id = addressName({ channel, place });
    return { id, channel, name: user.name ?? user.id, blocked: shut.has(id) };
  });
  return places.filter(({ id }, at) => places.findIndex((one) => one.id === id) === at);
}

/**
 * Where a person is asked; null: on the page alone. One who named a place that is theirs no more is asked where they linked last.
 * `isOpen`: false for a link that nothing may be sent to, because its channel is not set up or its person's access has ended.
 */
export async function findLinkToAsk(
  db: D1Database,
  subject: string,
  defaults: NotifySettings,
  isOpen: (link: Link) => boolean,
): Promise<Link | null> {
  const { ask } = await readNotify(db, subject, defaults);
  if (ask === "page") return null;
  const links = (await listLinks(db, subject)).filter(isOpen);
  return links.find((link) => addressName(link) === ask) ?? links[0] ?? null;
}
