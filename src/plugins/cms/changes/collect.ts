import * as z from "zod";
import type { SessionFacts } from "../../../cairn/tools/define.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import { counted, lineInput, refInput } from "../edit/plan.ts";
import { fail } from "../model/errors.ts";
import { idFor } from "../model/ids.ts";
import type { AnyPlan, CmsContext, CmsServices } from "../model/types.ts";
import { loadTouched, openSetOf, resolveSet, type ChangeSet } from "../storage/change-sets.ts";
import { NO_PROJECTION } from "../storage/projections.ts";

/** Opening a change set, and throwing one away. */

export const setInput = refInput.describe("default: the open one").optional();

/** The set of the session. Refuses `not_found` if the session has none open, and `already_exists` for a settled one. */
export async function openSet(
  services: CmsServices,
  requested: string | undefined,
  facts: SessionFacts,
): Promise<ChangeSet> {
  const set =
    requested === undefined
      ? await openSetOf(services, facts.session, facts.createdAt)
      : await resolveSet(services, requested);
  if (set === null)
    throw fail("not_found", "This session collects no changes.", {
      at: "set",
      hint: "changes_begin opens a change set; what is written from then on goes into it.",
    });
  if (set.state === "open") return set;
  throw fail("nothing_to_do", `“${set.name}” was ${set.state} already.`, {
    at: "set",
    hint: set.state === "published" ? "undo takes it back as a whole." : "changes_begin opens another one.",
  });
}

export const setBrief = ({ id, name, state, version }: ChangeSet) => ({ id, name, state, version });

export const changesBegin = defineKeyedTool({
  name: "changes_begin",
  version: 1,
  title: "Start a change set",
  description:
    "Opens a change set: later writes of this session go into it, unseen, until it is published as one or thrown away.",
  input: z.strictObject({ name: lineInput(80).optional() }),
  verbs: ["create"],
  tier: "write",
  bookkeeping: true,
  plan: planBegin,
  policy: () => NONE,
  entities: (_, { set }) => [{ op: "create", type: "change_set", id: set.id, name: set.name }],
});

export async function planBegin({ name }: { name?: string | undefined }, context: CmsContext) {
  const { services, facts, key } = context;
  if (facts.session === "")
    throw fail("invalid_input", "A change set belongs to a session.", { hint: "Name the session." });
  const open = await openSetOf(services, facts.session, facts.createdAt);
  const set = open ?? { id: idFor("cs", key, 0), name: name ?? "Changes", state: "open", version: 1 };
  const { id } = set;
  return {
    result: {
      ok: true,
      op: key,
      set: { id, name: set.name, state: "open", version: set.version },
      publicNow: false,
      ...(open === null ? {} : { notes: ["This set was open already; it goes on."] }),
    },
    changes: [],
    projection: NO_PROJECTION,
    impact: {
      title: "Start a change set",
      summary: `Start the change set “${set.name}”.`,
      lines: [],
      public: false,
    },
    ...(open === null
      ? { changeSet: { to: "open", id, name: set.name, createdAt: facts.createdAt ?? 0 } }
      : {}),
  } satisfies AnyPlan;
}

export const changesDiscard = defineKeyedTool({
  name: "changes_discard",
  version: 1,
  title: "Discard changes",
  description: "Throws a change set away. The site stays as it is.",
  input: z.strictObject({ set: setInput }),
  verbs: ["delete"],
  tier: "write",
  plan: planDiscard,
  policy: (_, { result }) =>
    result.things === 0 ? NONE : { need: "human", reason: "What is thrown away cannot be brought back." },
  entities: (_, { set }) => [{ op: "delete", type: "change_set", id: set.id, name: set.name }],
});

export async function planDiscard(
  { set: requested }: { set?: string | undefined },
  { services, facts, key }: CmsContext,
) {
  const set = await openSet(services, requested, facts);
  const things = (await loadTouched(services, set.id)).length;
  return {
    result: {
      ok: true,
      op: key,
      set: { ...setBrief(set), state: "discarded" },
      things,
      publicNow: false,
    },
    changes: [],
    projection: NO_PROJECTION,
    impact: {
      title: `Discard “${set.name}”`,
      summary: `Discard “${set.name}”: ${counted(things, "change")} that no visitor has seen.`,
      lines: ["The site stays as it is", "It cannot be undone"],
      public: false,
    },
    changeSet: { to: "discarded", id: set.id, version: set.version },
  } satisfies AnyPlan;
}
