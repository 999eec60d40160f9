import * as z from "zod";
import type { SitePosts } from "../../http/site-posts.ts";
import { findOperation } from "../../history/operations.ts";
import { entryCreateInput, planEntry } from "../../entries/entry-create.ts";
import { readImage } from "../../media/bytes/read-image.ts";
import { importedOutput, planArrival, sha256Of, storeBytes } from "../../media/library.ts";
import { loadPublished } from "../../storage/load.ts";
import { runKeyed } from "../../storage/commit.ts";
import { findImage } from "../../storage/images.ts";
import { planStatus } from "../../tools/status.ts";
import { byHand, onSite, type Seed } from "./on-site.ts";

/** Posts and images that come from files: the writes of `entry_create` and `set_status`, by an admin, who has decided. */

const createdSchema = z.object({
  entry: z.object({ id: z.string(), url: z.string() }),
  replayed: z.boolean().default(false),
});
const decided = (): Promise<boolean> => Promise.resolve(false);

export function createPosts(seed: Seed): SitePosts {
  return {
    post: (env, { key, check, publish, date, visitor, environment, ...post }, at) =>
      onSite(seed, env, { visitor, environment }, at, async (services) => {
        const { content, ...rest } = post;
        const input = entryCreateInput.parse({ ...rest, content: { ...content } });
        const context = byHand(services, { key, subject: visitor.subject, at });
        if (check) {
          const isThere = (await findOperation(services, key)) !== null;
          if (!isThere) await planEntry(input, context, date);
          return { became: isThere ? "there" : "checked", id: null, url: null, status: null };
        }
        const { entry, replayed } = createdSchema.parse(
          await runKeyed({
            tool: "entry_create",
            input,
            context,
            needsApproval: decided,
            plan: () => planEntry(input, context, date),
          }),
        );
        if (publish) {
          const input = { targets: [{ type: "entry" as const, ref: entry.id }], to: "published" as const };
          const then = byHand(services, { key: `${key}/publish`, subject: visitor.subject, at });
          await runKeyed({
            tool: "set_status",
            input: input,
            context: then,
            needsApproval: decided,
            plan: () => planStatus(input, then),
          });
        }
        const isPublic = (await loadPublished(services, [entry.id])).has(entry.id);
        return {
          became: replayed ? ("there" as const) : ("created" as const),
          id: entry.id,
          url: entry.url,
          status: isPublic ? ("published" as const) : ("draft" as const),
        };
      }),
    image: (env, { key, check, filename, alt, bytes, visitor, environment }, at) =>
      onSite(seed, env, { visitor, environment }, at, async (services) => {
        readImage(bytes);
        const known = await findImage(services, { sha256: await sha256Of(bytes) });
        if (known !== null) return { imageId: known.id, deduped: true };
        if (check) return { imageId: null, deduped: false };
        const stored = await storeBytes(services, bytes);
        const context = byHand(services, { key, subject: visitor.subject, at });
        const done = await runKeyed({
          tool: "upload",
          input: { sha256: stored.sha256 },
          context,
          needsApproval: decided,
          plan: () => planArrival({ filename, origin: "api", ...stored, ...textOf(alt) }, context),
        });
        const { image, deduped } = importedOutput.parse(done);
        return { imageId: image.id, deduped };
      }),
  };
}

/** The file's alternative text counts as a person's. */
const textOf = (alt: string) => (alt.trim() === "" ? {} : { alt: alt.trim(), altSource: "human" as const });
