import * as z from "zod";
import { canonicalJson } from "../../../core/log/json.ts";
import { defineKeyedTool } from "../edit/keyed.ts";
import {
  checkExpected,
  contentInput,
  editPage,
  localeInput,
  pickLocale,
  positionInput,
  refInput,
  sectionName,
  versionInput,
} from "../edit/plan.ts";
import { resolvePage, resolveSection } from "../edit/refs.ts";
import {
  answer,
  checkRoom,
  draftImpact,
  indexOf,
  loadFacts,
  patchContent,
  sectionEntities,
  type SectionOutput,
  checkRegion,
  pickTemplate,
  pickVariant,
} from "../edit/section-plan.ts";
import { fail } from "../model/errors.ts";
import { keyAt } from "../model/order.ts";
import type { CmsContext, Plan, Section } from "../model/types.ts";
import { mergeProjections, projectPage } from "../storage/projections.ts";

const updateInput = z.strictObject({
  section: refInput.describe("section id (page_get)"),
  content: contentInput.describe("the fields to change; others stay").optional(),
  unset: z.array(z.string().max(40)).max(40).describe("fields to clear").optional(),
  variant: z.string().max(40).optional(),
  hidden: z.boolean().optional(),
  locale: localeInput,
  expectedVersion: versionInput,
});

export const sectionUpdate = defineKeyedTool<typeof updateInput, SectionOutput>({
  name: "section_update",
  version: 1,
  title: "Edit a section",
  description:
    "Changes fields, variant or visibility of a section in the draft of its page. Hide it with hidden: true.",
  input: updateInput,
  verbs: ["update", "remove"],
  tier: "write",
  plan: planUpdate,
  entities: (_, { section, page }) => sectionEntities("touch", section, page),
});

async function planUpdate(
  input: z.output<typeof updateInput>,
  context: CmsContext,
): Promise<Plan<SectionOutput>> {
  const facts = await loadFacts(context);
  const { environment, templates } = facts;
  const { section: old, aggregate } = await resolveSection(context.services, input.section);
  const label = sectionName(old, templates, environment);
  await checkExpected(context.services, { ...old, label }, input.expectedVersion);
  const template = pickTemplate(templates, old.template, aggregate.page, "section");
  const locale = pickLocale(environment, input.locale);
  const touched = input.content !== undefined || input.unset !== undefined;
  if (!touched && input.variant === undefined && input.hidden === undefined) {
    throw fail("invalid_input", "Nothing to change: pass content, unset, variant or hidden.", {
      at: "content",
    });
  }
  const section: Section = {
    ...old,
    variant: input.variant === undefined ? old.variant : pickVariant(template, input.variant, "variant"),
    hidden: input.hidden ?? old.hidden,
    content: touched
      ? await patchContent(
          template,
          old.content,
          input.content ?? {},
          input.unset ?? [],
          locale,
          environment,
          context.services,
        )
      : old.content,
  };
  const changed = changedKeys(old, section, locale);
  // What is so already is no change: no version, no revision, and the page does not become dirty.
  const { after, changes } =
    changed.length === 0
      ? { after: aggregate, changes: [] }
      : editPage(aggregate, { put: [{ before: old, after: section }] }, context.at);
  return {
    result: {
      ...answer(context, after, old.id, facts),
      changed,
      ...(changed.length === 0 ? { notes: ["The section was like this already; nothing changed."] } : {}),
    },
    changes,
    projection: projectPage(after, templates, environment.defaultLocale, new Set([old.id])),
    impact: draftImpact(
      `Edit ${label}`,
      `Change ${changed.join(", ") || "nothing"} of ${label} on the draft of “${aggregate.page.name}”.`,
    ),
  };
}

function changedKeys(before: Section, after: Section, locale: string): string[] {
  const [old, now] = [before.content[locale] ?? {}, after.content[locale] ?? {}];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const fields = keys.filter((key) => canonicalJson(old[key]) !== canonicalJson(now[key]));
  const own = (["variant", "hidden"] as const).filter((key) => before[key] !== after[key]);
  return [...fields, ...own];
}

const moveInput = z.strictObject({
  section: refInput.describe("section id (page_get)"),
  position: positionInput.describe("from 1, or next to a section id"),
  toPage: refInput.describe("another page to move it to").optional(),
  expectedVersion: versionInput,
});

export const sectionMove = defineKeyedTool<typeof moveInput, SectionOutput>({
  name: "section_move",
  version: 1,
  title: "Move a section",
  description: "Moves a section to another place on its page, or to another page. Drafts only.",
  input: moveInput,
  verbs: ["move"],
  tier: "write",
  plan: planMove,
  entities: (_, { section, page }) => sectionEntities("touch", section, page),
});

async function planMove(
  input: z.output<typeof moveInput>,
  context: CmsContext,
): Promise<Plan<SectionOutput>> {
  const facts = await loadFacts(context);
  const { environment, templates } = facts;
  const { section: old, aggregate: source } = await resolveSection(context.services, input.section);
  const label = sectionName(old, templates, environment);
  await checkExpected(context.services, { ...old, label }, input.expectedVersion);
  const wanted =
    input.toPage === undefined ? source : await resolvePage(context.services, input.toPage, "toPage");
  const isSame = wanted.page.id === source.page.id;
  const target = isSame ? source : wanted;
  const template = templates.get(old.template);
  if (template !== undefined) checkRegion(template, target.page, "toPage");
  if (!isSame) checkRoom(target);
  const siblings = target.sections.filter((one) => one.id !== old.id);
  const section: Section = {
    ...old,
    sortKey: keyAt(indexOf(input.position, siblings, target.page), siblings),
  };
  const edited = editPage(target, { put: [{ before: old, after: section }] }, context.at);
  const left = isSame ? null : editPage(source, { drop: [old.id] }, context.at);
  const locale = environment.defaultLocale;
  return {
    result: answer(context, edited.after, old.id, facts),
    changes: [...(left?.changes ?? []), ...edited.changes],
    projection: mergeProjections(
      projectPage(edited.after, templates, locale, new Set([old.id])),
      ...(left === null ? [] : [projectPage(left.after, templates, locale, new Set())]),
    ),
    impact: draftImpact(
      `Move ${label}`,
      isSame
        ? `Move ${label} on the draft of “${source.page.name}”.`
        : `Move ${label} from “${source.page.name}” to “${target.page.name}”.`,
    ),
  };
}
