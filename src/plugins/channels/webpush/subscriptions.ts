import * as z from "zod";
import { sha256Hex } from "../../../cairn/core/log/digest.ts";

/**
 * Browsers that notify a person by push. Each such person has one link of the channel `webpush`, whose place is the
 * person: a message to it reaches every browser. The link ends with the last browser, and they end with the link.
 */

/** A key to one browser. It is secret. */
export interface Subscription {
  readonly id: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** With the subscriber: nothing is sent once their access has ended. */
export interface HeldSubscription extends Subscription {
  /** name of the grant that subscribed; null: a row of an earlier release, or of the anonymous of a local host */
  readonly grant: string | null;
}

/** A subscription as its person sees it. */
export interface Browser {
  readonly id: string;
  /** for people to read */
  readonly name: string;
  /** milliseconds since 1970 */
  readonly since: number;
}

/** of one person */
export const BROWSERS_MAX = 10;

/** The link lasts as long as the person has one of these. Each subscription decides by its own grant whether it is sent to. */
const LINK_SCOPES = JSON.stringify(["read", "approve"]);

/** The same for the same endpoint: a browser that subscribes again is no second one. */
export const subscriptionId = (endpoint: string): string => sha256Hex(endpoint);

const dropEmptyLinks = (db: D1Database): D1PreparedStatement =>
  db.prepare(
    `DELETE FROM channel_links WHERE channel = 'webpush'
      AND NOT EXISTS (SELECT 1 FROM push_subscriptions WHERE subject = channel_links.user_id)`,
  );

/**
 * Stores a subscription; a browser notifies the person who subscribed last. Null, and nothing is stored, if the
 * person has BROWSERS_MAX others.
 */
export async function storeSubscription(
  db: D1Database,
  subject: string,
  {
    endpoint,
    p256dh,
    auth,
    name,
    grant = null,
  }: Omit<Subscription, "id"> & Pick<Browser, "name"> & { readonly grant?: string | null },
  at: number,
): Promise<Browser | null> {
  const [, kept] = await db.batch([
    db
      .prepare(
        `INSERT INTO channel_links (channel, user_id, user_name, subject, scopes, place, linked_at)
          VALUES ('webpush', ?1, NULL, ?1, ?3, ?1, ?2) ON CONFLICT (channel, user_id) DO UPDATE SET scopes = excluded.scopes`,
      )
      .bind(subject, at, LINK_SCOPES),
    db
      .prepare(
        `INSERT INTO push_subscriptions (id, subject, endpoint, p256dh, auth, browser, created_at, grant_name)
          SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9
          WHERE (SELECT count(*) FROM push_subscriptions WHERE subject = ?2 AND id <> ?1) < ?8
          ON CONFLICT (id) DO UPDATE SET subject = ?2, p256dh = ?4, auth = ?5, browser = ?6, created_at = ?7, grant_name = ?9
          RETURNING id, browser, created_at`,
      )
      .bind(subscriptionId(endpoint), subject, endpoint, p256dh, auth, name, at, BROWSERS_MAX, grant),
    // Drops the link of the browser's former person.
    dropEmptyLinks(db),
  ]);
  const [row] = kept?.results ?? [];
  return row === undefined ? null : browserIn(row);
}

/** Those of a person, the newest first. */
export async function listBrowsers(db: D1Database, subject: string): Promise<readonly Browser[]> {
  const { results } = await db
    .prepare(
      "SELECT id, browser, created_at FROM push_subscriptions WHERE subject = ?1 ORDER BY created_at DESC, id",
    )
    .bind(subject)
    .all();
  return results.map(browserIn);
}

/** The subscriptions of a person, with the keys to write to them. */
export async function listSubscriptions(
  db: D1Database,
  subject: string,
): Promise<readonly HeldSubscription[]> {
  const { results } = await db
    .prepare(
      "SELECT id, endpoint, p256dh, auth, grant_name AS grant FROM push_subscriptions WHERE subject = ?1 ORDER BY id",
    )
    .bind(subject)
    .all<{ id: string; endpoint: string; p256dh: string; auth: string; grant: string | null }>();
  return results;
}

/** False: they have no such browser. */
export async function removeSubscription(db: D1Database, subject: string, id: string): Promise<boolean> {
  const [removed] = await db.batch([
    db.prepare("DELETE FROM push_subscriptions WHERE id = ?1 AND subject = ?2").bind(id, subject),
    dropEmptyLinks(db),
  ]);
  return (removed?.meta.changes ?? 0) > 0;
}

const rowSchema = z.object({ id: z.string(), browser: z.string(), created_at: z.number() });

function browserIn(row: unknown): Browser {
  const { id, browser: name, created_at: since } = rowSchema.parse(row);
  return { id, name, since };
}
