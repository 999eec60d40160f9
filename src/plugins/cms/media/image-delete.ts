import * as z from "zod";
import { defineKeyedTool } from "../edit/keyed.ts";
import { counted, refInput } from "../edit/plan.ts";
import { keyOf, loadNow } from "../history/rows.ts";
import { planRestore, type Wanted } from "../history/plan-restore.ts";
import { fail } from "../model/errors.ts";
import type { AnyPlan, CmsContext } from "../model/types.ts";
import { loadSite, loadInbound } from "../storage/load.ts";
import { inboundGuard } from "../tools/page-delete.ts";
import { swappedRows } from "./swap.ts";
import { pickImages, usageLine, usageOf } from "./usages.ts";

const input = z.strictObject({
  images: z.array(refInput).min(1).max(10),
  onUse: z.enum(["refuse", "detach", "replace"]).default("refuse"),
  replacement: refInput.optional(),
});

export const imageDelete = defineKeyedTool({
  name: "image_delete",
  version: 1,
  title: "Delete images",
  description:
    "Deletes library images. One in use is refused with its places, unless onUse empties them (detach) or puts the replacement there; drafts, public pages and settings alike.",
  input,
  verbs: ["delete"],
  tier: "publish",
  plan,
  entities: (_, { deleted }) =>
    deleted.map(({ id, filename }) => ({ op: "delete", type: "image", id, name: filename })),
});

async function plan(given: z.output<typeof input>, context: CmsContext) {
  const { services, at } = context;
  const { onUse } = given;
  if ((onUse === "replace") !== (given.replacement !== undefined))
    throw fail("invalid_input", "onUse replace and a replacement go together.", {
      at: "replacement",
      hint: "Name the image that comes in its place, or leave both out.",
    });
  const [{ environment, schemas }, images] = await Promise.all([
    loadSite(services),
    pickImages(services, given.images, "images"),
  ]);
  const [replacement = null] =
    given.replacement === undefined ? [] : await pickImages(services, [given.replacement], "replacement");
  const ids = images.map((one) => one.image.id);
  if (replacement !== null && ids.includes(replacement.image.id))
    throw fail("invalid_input", "The replacement is one of the images that go.", { at: "replacement" });
  const uses = await loadInbound(services, ids);
  const [used] = uses;
  if (used !== undefined && onUse === "refuse") {
    const name = images.find((one) => one.image.id === used.targetId)?.image.filename ?? used.targetId;
    const count = uses.length - 1;
    throw fail(
      "in_use",
      `“${name}” is shown: ${usageLine(used)}${count > 0 ? `, and at ${counted(count, "other place")}` : ""}.`,
      {
        at: "images",
        hint: "Choose onUse detach, which empties these places, or replace with a replacement.",
        details: { usages: uses.map(usageOf) },
      },
    );
  }
  const site = { environment, schemas };
  const swap = { from: new Set(ids), to: replacement?.image.id ?? null };
  const rows = await loadNow(
    services,
    ids.map((id) => ({ type: "image", id })),
  );
  const gone = ids.map((id): Wanted => {
    const now = rows.get(keyOf({ type: "image", id })) ?? null;
    return { type: "image", id, now, then: now && { ...now, deletedAt: at } };
  });
  const settled = await planRestore(
    services,
    [...gone, ...(await swappedRows(services, uses, swap, site))],
    site,
    at,
  );
  const names = images.map((one) => `“${one.image.filename}”`).join(", ");
  const becomes = replacement === null ? "is emptied" : `shows “${replacement.image.filename}”`;
  return {
    result: {
      ok: true,
      op: context.key,
      publicNow: settled.isPublic,
      deleted: images.map(({ image: { id, filename } }) => ({ id, filename })),
      changed: uses.map((use) => ({ ...usageOf(use), now: swap.to })),
    },
    changes: settled.changes,
    stateGuards: [inboundGuard(ids, uses.length)],
    ...(replacement === null
      ? {}
      : { guards: [{ table: "images", id: replacement.image.id, version: replacement.image.version }] }),
    projection: settled.projection,
    impact: {
      title: images.length === 1 ? `Delete the image ${names}` : `Delete ${images.length} images`,
      summary: `Delete ${names} from the library${uses.length > 0 ? `; ${counted(uses.length, "place")} change` : ""}.`,
      lines: uses.map((use) => `${usageLine(use)} ${becomes}`),
      public: settled.isPublic,
    },
  } satisfies AnyPlan;
}
