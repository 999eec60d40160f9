import { ownValue } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import type { ShownChange } from "../../../cairn/core/log/approval.ts";
import { type Schemas } from "../model/types.ts";
import { defineKeyedTool } from "../edit/keyed.ts";
import { counted, refInput } from "../edit/plan.ts";
import { diffDocuments } from "../edit/publish.ts";
import { resolveEntries, resolvePages } from "../edit/refs.ts";
import { isoTime } from "../edit/read-shape.ts";
import { checksOf, publicationChanges } from "../edit/status-plan.ts";
import { entryTarget, pageTarget, scheduled, type Goal, type Target } from "../edit/status-targets.ts";
import { readPublishTime, spokenTime } from "../schedule/publish-time.ts";
import type { SectionDocument } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import type {
  Check,
  Checks,
  CmsContext,
  Environment,
  AnyPlan,
  PublishedRow,
  StoredNavItem,
} from "../model/types.ts";
import { loadInbound, loadNav, loadPublished, type Inbound, loadSite } from "../storage/load.ts";
import { headingOf, mergeProjections } from "../storage/projections.ts";

const targetInput = z.strictObject({
  type: z.enum(["page", "entry"]),
  ref: refInput.describe("Page or entry: id or slug; collection/slug for entries"),
});
const input = z.strictObject({
  targets: z.array(targetInput).min(1).max(10),
  to: z
    .enum(["published", "unpublished", "archived", "unscheduled"])
    .describe("New status: archived is for entries only; unscheduled only cancels at"),
  at: z.string().max(40).describe("Publish later: ISO time; unscheduled cancels it").optional(),
  timeZone: z.string().max(60).describe("Time zone of at without offset; default UTC").optional(),
});

export const setStatus = defineKeyedTool({
  name: "set_status",
  lean: true,
  version: 1,
  title: "Publish or unpublish",
  description:
    "Publishes the drafts of pages and entries, now or at a time, takes them off the public site, archives entries, or cancels a time. A person decides.",
  input,
  verbs: ["publish", "unpublish", "archive"],
  tier: "publish",
  reach: "external",
  plan: planStatus,
  entities: (_, { targets }) =>
    targets.map(({ type, id, name, slug }) => ({ op: "touch", type, id, name, slug })),
});

export async function planStatus(given: z.output<typeof input>, context: CmsContext) {
  const { services, at } = context;
  const { environment, schemas } = await loadSite(services);
  if (services.changeSet !== undefined) refuseTimes(given);
  const publishAt = timeOf(given, at);
  const targets = await loadTargets(given, environment, schemas, context);
  const changing = targets.filter((one) => one.next !== null);
  const ids = changing.map((one) => one.id);
  const [published, nav, inbound] = await Promise.all([
    loadPublished(services, ids),
    loadNav(services),
    loadInbound(services, ids),
  ]);
  const becoming = new Set(given.to === "published" ? targets.map((one) => `${one.type}:${one.id}`) : []);
  const checks =
    given.to === "published" ? await checkAll(changing, environment, schemas, becoming, context) : [];
  const later = publishAt === null || changing.length === 0 ? "" : ` at ${spokenTime(publishAt)}`;
  const becomes = publishAt === null ? targets : targets.map((one) => scheduled(one, publishAt, at));
  const stories = changing.map((one, i) =>
    storyOf(one, given.to, published.get(one.id) ?? null, nav, inbound, schemas, environment, checks[i]),
  );
  return {
    result: {
      ok: true,
      op: context.key,
      targets: becomes.map(({ type, id, name, slug, url, status, version, next }) => {
        const after =
          next === null
            ? { status, version, unchanged: true as const }
            : {
                status: next.status,
                version: version + 1,
                ...(publishAt === null ? {} : { publishAt: isoTime(publishAt) }),
              };
        return { type, id, name, slug, url, ...after };
      }),
      publicNow: changing.length > 0 && given.to === "published" && publishAt === null,
      ...(targets[0] === undefined ? {} : { preview: { path: targets[0].url } }),
    },
    changes:
      publishAt === null && given.to !== "unscheduled"
        ? publicationChanges(changing, published, at)
        : becomes.flatMap((one) => (one.next === null ? [] : [one.next.change])),
    projection: mergeProjections(
      ...becomes.flatMap((one) => (one.next === null ? [] : [one.next.projection])),
    ),
    impact: {
      title: `${titleOf(given.to, changing.length > 0 ? changing : targets)}${later}`,
      summary:
        stories.length === 0
          ? "Nothing changes."
          : `${later === "" ? "" : `At ${spokenTime(publishAt ?? at)}: `}${stories.map((one) => one.summary).join(" ")}`,
      lines: [
        ...(publishAt === null
          ? []
          : [`Time: ${spokenTime(publishAt)}. A change of the draft before it cancels this`]),
        ...stories.flatMap((one) => one.lines),
        ...targets
          .filter((one) => one.next === null)
          .map((one) => `“${one.name}” is ${given.to === "unscheduled" ? given.to : one.status} already`),
      ],
      warnings: stories.flatMap((one) => one.warnings),
      changes: stories.flatMap((one) => one.changes),
      public:
        publishAt === null &&
        given.to !== "unscheduled" &&
        changing.some((one) => one.isPublic || given.to === "published"),
    },
  } satisfies AnyPlan;
}

/** A set is published as one, and what waits for its time waits on the site: neither is a matter of one page in a set. */
function refuseTimes({ at, to }: z.output<typeof input>): void {
  if (at !== undefined)
    throw fail("invalid_input", "What is in a change set is published with it.", {
      at: "at",
      hint: "Leave at out here; changes_publish takes a time for the whole set.",
    });
  if (to === "unscheduled")
    throw fail("invalid_input", "A time of publishing is of the site, not of a change set.", {
      at: "to",
      hint: "End the change set first with changes_publish or changes_discard, then cancel the time.",
    });
}

/** The time at which it is to be published, in ms; null for now. */
function timeOf(given: z.output<typeof input>, now: number): number | null {
  if (given.at === undefined) return null;
  if (given.to === "published") return readPublishTime(given.at, given.timeZone, now);
  throw fail("invalid_input", "Only publishing can wait for a time.", {
    at: "at",
    hint: "Leave at out, or schedule a message of the session for that time.",
  });
}

async function loadTargets(
  given: z.output<typeof input>,
  environment: Environment,
  schemas: Schemas,
  { services, at }: CmsContext,
): Promise<Target[]> {
  const refs = (type: "page" | "entry") =>
    given.targets.filter((one) => one.type === type).map((one) => one.ref);
  const [pages, entries] = await Promise.all([
    resolvePages(services, refs("page"), "targets"),
    refs("entry").length === 0 ? [] : resolveEntries(services, refs("entry"), "targets"),
  ]);
  if (given.to === "archived" && pages.length > 0) {
    throw fail("invalid_input", "Only entries can be archived.", {
      at: "to",
      hint: "Use unpublished for pages.",
    });
  }
  return [
    ...pages.map((one) => pageTarget(one, given.to, environment, schemas, at)),
    ...entries.map((one) => entryTarget(one, given.to, environment, schemas, at)),
  ];
}

/** The checks of every target. Refuses `publish_blocked` when one of them has a blocker, naming all with their fixes. */
async function checkAll(
  targets: readonly Target[],
  environment: Environment,
  schemas: Schemas,
  becoming: ReadonlySet<string>,
  { services }: CmsContext,
): Promise<Checks[]> {
  const checks: Checks[] = [];
  for (const one of targets) checks.push(await checksOf(one, { services, environment, schemas }, becoming));
  const blockers = checks.flatMap((one) => one.blockers);
  if (blockers.length === 0) return checks;
  const names = targets.filter((_, i) => (checks[i]?.blockers.length ?? 0) > 0).map((one) => `“${one.name}”`);
  throw fail(
    "publish_blocked",
    `${names.join(", ")} cannot be published yet: ${blockers.map((one) => one.message).join(" ")}`,
    {
      hint: "Fix each of them, then publish again.",
      suggestions: blockers.map((one) => ({ label: `${checkLabel(one)}: ${one.fix}`, ref: one.owner.id })),
      details: { blockers: blockers.map((one) => ({ ...one })) },
    },
  );
}

function checkLabel({ owner, field }: Check): string {
  return field === undefined ? owner.name : `${owner.name}, ${field}`;
}

const VERBS: Readonly<Record<Goal, string>> = {
  published: "Publish",
  unpublished: "Unpublish",
  archived: "Archive",
  unscheduled: "Cancel the publishing of",
};

function titleOf(to: Goal, targets: readonly Target[]): string {
  const verb = VERBS[to];
  const [only] = targets;
  return only !== undefined && targets.length === 1
    ? `${verb} the ${only.type} “${only.name}”`
    : `${verb} ${targets.length} things`;
}

/** The basis of a person's decision, for one target: a sentence, and the lines below it. */
interface Story {
  readonly summary: string;
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
  readonly changes: readonly ShownChange[];
}

function storyOf(
  target: Target,
  to: Goal,
  published: PublishedRow | null,
  nav: readonly StoredNavItem[],
  inbound: readonly Inbound[],
  schemas: Schemas,
  environment: Environment,
  checks: Checks | undefined,
): Story {
  const { name, url, isPublic, next } = target;
  const items = nav.filter((one) => one.visible && "id" in one.target && one.target.id === target.id);
  const itemsThat = (one: string, many: string) =>
    items.length === 0
      ? ""
      : `, and ${counted(items.length, "navigation item")} ${items.length === 1 ? one : many}`;
  const itemLines = (verb: string) =>
    items.map((one) => `The navigation item “${one.label}” (${one.id}) ${verb} in the ${one.location}`);
  const itemChanges = (before: string, after: string) =>
    items.map((one) => ({ what: `Navigation item “${one.label}” in the ${one.location}`, before, after }));
  if (next === null) return { summary: "", lines: [], warnings: [], changes: [] };
  const noLonger =
    target.publishAt === null ? "" : `“${name}” is not published at ${spokenTime(target.publishAt)}.`;
  if (to === "unscheduled") {
    const stays = isPublic ? `What visitors see at ${url} stays` : `${url} stays without it`;
    return { summary: noLonger, lines: [stays, "The draft stays"], warnings: [], changes: [] };
  }
  if (to !== "published") {
    if (!isPublic)
      return {
        summary: (to === "archived" ? `Archive “${name}”; it is not public.` : "") + noLonger,
        lines: [],
        warnings: [],
        changes: [],
      };
    const links = inbound.filter(
      (one) => one.targetId === target.id && one.ownerType !== "nav_item" && one.state === "published",
    );
    const verb = to === "archived" ? "Archive" : "Unpublish";
    return {
      summary: `${verb} “${name}”: ${url} answers 404 at once${itemsThat("vanishes", "vanish")}.`,
      lines: [`URL: ${url}`, ...itemLines("vanishes"), "The draft stays"],
      warnings: [...new Set(links.map((one) => one.rootName))].map(
        (root) => `Links to it on “${root}” show as plain text then`,
      ),
      changes: itemChanges("shown", "not shown"),
    };
  }
  const label = (one: SectionDocument) => {
    const template = schemas.templates.get(one.template);
    const heading = headingOf(template?.fields ?? [], ownValue(one.content, environment.defaultLocale) ?? {});
    return `${template?.name ?? one.template}${heading === "" ? "" : ` “${heading}”`}`;
  };
  const document = next.document;
  const differences = document === null ? [] : diffDocuments(published?.document ?? null, document, label);
  const sections =
    document?.type === "page" && published === null
      ? [`Sections: ${document.sections.map(label).join(", ") || "none"}`]
      : [];
  const changes = differences.length === 1 ? "1 change becomes" : `${differences.length} changes become`;
  return {
    summary: isPublic
      ? `Publish “${name}” again: ${changes} public at ${url}.`
      : `Publish “${name}”: it becomes public at ${url}${itemsThat("appears", "appear")}.`,
    lines: [`URL: ${url}`, ...sections, ...differences, ...(isPublic ? [] : itemLines("appears"))],
    warnings: (checks?.warnings ?? []).map((one) => `Warning (${checkLabel(one)}): ${one.message}`),
    changes: isPublic ? [] : itemChanges("not shown", "shown"),
  };
}
