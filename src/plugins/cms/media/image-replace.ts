import * as z from "zod";
import { defineKeyedTool } from "../edit/keyed.ts";
import { counted, refInput } from "../edit/plan.ts";
import { planRestore } from "../history/plan-restore.ts";
import { fail } from "../model/errors.ts";
import type { AnyPlan, CmsContext } from "../model/types.ts";
import { loadInbound, loadSite } from "../storage/load.ts";
import { inboundGuard } from "../tools/page-delete.ts";
import { imageBrief } from "./library.ts";
import { swappedRows } from "./swap.ts";
import { pickEach, usageLine, usageOf } from "./usages.ts";

const input = z.strictObject({
  from: refInput,
  to: refInput,
  only: z.array(refInput).min(1).max(40).describe("ids of owners").optional(),
});

export const imageReplace = defineKeyedTool({
  name: "image_replace",
  version: 1,
  title: "Replace an image everywhere",
  description:
    "Puts another library image wherever one is used: in drafts and settings. Public pages show it when they are published.",
  input,
  verbs: ["update", "attach"],
  tier: "publish",
  plan,
  entities: (_, { from, to }) =>
    [to, from].map(({ id, filename }) => ({ op: "touch", type: "image", id, name: filename })),
});

async function plan({ from, to, only }: z.output<typeof input>, context: CmsContext) {
  const { services, at } = context;
  const { environment, schemas } = await loadSite(services);
  const [old, next] = await pickEach(services, [
    { ref: from, at: "from" },
    { ref: to, at: "to" },
  ]);
  if (old === undefined || next === undefined) throw new Error("an image that was resolved is there");
  const all = await loadInbound(services, [old.image.id]);
  const selected = all.filter(({ ownerId, rootId }) => {
    const key = ownerId.slice(ownerId.indexOf("/") + 1);
    return only === undefined || [ownerId, rootId, key].some((id) => only.includes(id));
  });
  const uses = selected.filter((use) => use.state !== "published");
  if (uses.length === 0 || old.image.id === next.image.id)
    throw fail("nothing_to_do", `No draft and no setting there shows “${old.image.filename}”.`, {
      hint: "image_search with usages says where an image is used.",
    });
  const site = { environment, schemas };
  const swap = { from: new Set([old.image.id]), to: next.image.id };
  const settled = await planRestore(services, await swappedRows(services, uses, swap, site), site, at);
  const waiting = [
    ...new Set(selected.filter((use) => use.state === "published").map((use) => use.rootName)),
  ];
  const guard = ({ id, version }: typeof old.image) => ({ table: "images" as const, id, version });
  return {
    result: {
      ok: true,
      op: context.key,
      publicNow: settled.isPublic,
      from: imageBrief(old.image),
      to: imageBrief(next.image),
      changed: uses.map(usageOf),
      toPublish: waiting,
    },
    changes: settled.changes,
    guards: [guard(old.image), guard(next.image)],
    stateGuards: [inboundGuard([old.image.id], all.length)],
    projection: settled.projection,
    impact: {
      title: `Replace “${old.image.filename}” by “${next.image.filename}”`,
      summary: `${counted(uses.length, "place")} ${uses.length === 1 ? "shows" : "show"} “${next.image.filename}” instead of “${old.image.filename}”.`,
      lines: [
        ...uses.map(usageLine),
        ...waiting.map((name) => `“${name}” shows the old image until it is published`),
      ],
      public: settled.isPublic,
    },
  } satisfies AnyPlan;
}
