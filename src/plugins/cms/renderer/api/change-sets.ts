import * as z from "zod";
import type { Visitor } from "../../../../cairn/core/guards/target-access.ts";
import { digestOf } from "../../../../cairn/core/log/digest.ts";
import { toJson } from "../../../../cairn/core/log/json.ts";
import type { SiteChanges } from "../../http/site-changes.ts";
import { planBegin, planDiscard } from "../../changes/collect.ts";
import { planPublish } from "../../changes/publish.ts";
import { shownSet } from "../../changes/show.ts";
import { isoTime } from "../../edit/read-shape.ts";
import type { CmsContext, CmsServices, Plan } from "../../model/types.ts";
import { fail } from "../../model/errors.ts";
import { kindOf, seenBy } from "../../history/viewer.ts";
import { listSets, resolveSet, type ChangeSet } from "../../storage/change-sets.ts";
import { runKeyed } from "../../storage/commit.ts";
import type { SiteAnswer } from "../../protocol/answers.ts";
import { byHand, onSite, type Seed } from "./on-site.ts";

/** Change sets through the API: a person who publishes one here has decided about it. */

const settledSchema = z.object({
  set: z.object({ id: z.string(), name: z.string(), state: z.string() }),
  publishAt: z.string().nullable().default(null),
  publicNow: z.boolean(),
  replayed: z.boolean().default(false),
});

export function createChangeSets(seed: Seed): SiteChanges {
  /** A write by a person, who has decided what a tool would ask about. */
  const written = async (
    tool: string,
    input: object,
    context: CmsContext,
    plan: () => Promise<Plan<object>>,
  ) => settledSchema.parse(await runKeyed({ tool, input, context, plan, needsApproval: async () => false }));

  return {
    list: (env, request, at) =>
      onSite(seed, env, request, at, async (services) => ({
        items: await briefsFor(
          services,
          await listSets(services, request.state ?? undefined),
          request.visitor,
        ),
      })),
    begin: (env, { key, session, createdAt, name, ...request }, at) =>
      onSite(seed, env, request, at, async (services) => {
        const input = name === null ? {} : { name };
        const context = byHand(services, {
          key,
          session,
          createdAt,
          subject: request.visitor.subject,
          at: Math.max(at, createdAt),
        });
        const { set } = await written("changes_begin", input, context, () => planBegin(input, context));
        return briefOf(await resolveSet(services, set.id));
      }),
    show: (env, { set, ...request }, at) =>
      onSite(seed, env, request, at, async (services) =>
        shownTo(services, await resolveSet(services, set), at, request.visitor),
      ),
    publish: (env, { key, visitor, environment, ...input }, at) =>
      onSite(seed, env, { visitor, environment }, at, async (services) => {
        const context = byHand(services, { key, subject: visitor.subject, at });
        const { overwrite, digest, ...rest } = input;
        const given = { ...rest, ...(overwrite === undefined ? {} : { overwrite: [...overwrite] }) };
        const done = await written("changes_publish", input, context, async () => {
          if (digest !== undefined) await refuseUnread(services, input.set, digest, at);
          return planPublish(given, context);
        });
        return { operation: key, ...done };
      }),
    discard: (env, { key, set, ...request }, at) =>
      onSite(seed, env, request, at, async (services) => {
        const context = byHand(services, { key, subject: request.visitor.subject, at });
        const done = await written("changes_discard", { set }, context, () => planDiscard({ set }, context));
        return { operation: key, ...done };
      }),
  };
}

/** Sets as this person sees them: of those of others neither the session nor who. */
async function briefsFor(
  services: CmsServices,
  sets: readonly ChangeSet[],
  visitor: Visitor,
): Promise<SiteAnswer<"ChangeSetBrief">[]> {
  const isSeen = await seenBy(services, visitor, sets.map(workOf));
  return sets.map((set) => {
    const brief = briefOf(set);
    return isSeen(workOf(set)) ? brief : { ...brief, session: "", by: kindOf(brief.by) };
  });
}

const workOf = ({ actor, session, createdAt }: ChangeSet) => ({ actor, session, at: createdAt });

async function shownTo(
  services: CmsServices,
  set: ChangeSet,
  at: number,
  visitor: Visitor,
): Promise<SiteAnswer<"ChangeSet">> {
  const shown = await shownAs(services, set, at);
  const [brief = briefOf(set)] = await briefsFor(services, [set], visitor);
  const isNamed = (by: string): boolean => visitor.isAdmin || by === `user:${visitor.subject}`;
  const conflicts = shown.conflicts.map((one) => ({
    ...one,
    by: one.by === null || isNamed(one.by) ? one.by : kindOf(one.by),
  }));
  return { ...shown, ...brief, conflicts };
}

const briefOf = (set: ChangeSet): SiteAnswer<"ChangeSetBrief"> => ({
  id: set.id,
  name: set.name,
  state: set.state,
  version: set.version,
  // The set of a deleted session is stored under its name and a time.
  session: set.session.split("@", 1)[0] ?? "",
  by: set.actor,
  createdAt: isoTime(set.createdAt),
  publishAt: set.publishAt === null ? null : isoTime(set.publishAt),
  publishFailure: set.publishFailure,
});

async function shownAs(services: CmsServices, set: ChangeSet, at: number): Promise<SiteAnswer<"ChangeSet">> {
  const brief = briefOf(set);
  if (set.state !== "open")
    return { ...brief, digest: "", items: [], blockers: [], warnings: [], deadLinks: [], conflicts: [] };
  const { items, blockers, warnings, deadLinks, conflicts } = await shownSet(services, set, at);
  const withField = (one: (typeof blockers)[number]) => ({ ...one, field: one.field ?? null });
  return {
    ...brief,
    digest: digestOf(toJson({ version: set.version, items, conflicts })),
    items: items.map((one) => ({ ...one, changes: [...one.changes], draft: one.draft ?? null })),
    blockers: blockers.map(withField),
    warnings: warnings.map(withField),
    deadLinks: [...deadLinks],
    conflicts: conflicts.map(({ summary = null, by = null, ...one }) => ({ ...one, summary, by })),
  };
}

/**
 * A publisher approves what they have read, as with any approval: if the set has changed since, they must read it
 * again.
 */
async function refuseUnread(services: CmsServices, id: string, digest: string, at: number): Promise<void> {
  const shown = await shownAs(services, await resolveSet(services, id), at);
  if (shown.state !== "open" || shown.digest === digest) return;
  throw fail("approval_stale", `“${shown.name}” is not what was read any more.`, {
    hint: "Read it again, then decide.",
  });
}
