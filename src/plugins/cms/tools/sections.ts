import * as z from "zod";
import { canonicalJson, ownValue } from "../../../cairn/core/log/json.ts";
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
  checkSectionLimit,
  draftImpact,
  indexOf,
  loadFacts,
  patchContent,
  sectionEntities,
  type Facts,
  type SectionOutput,
  checkRegion,
  pickTemplate,
  pickVariant,
  planSections,
} from "../edit/section-plan.ts";
import { fail } from "../model/errors.ts";
import { minter } from "../model/ids.ts";
import { keyAt } from "../model/order.ts";
import type { CmsContext, PageAggregate, Plan, Section } from "../model/types.ts";
import { mergeProjections, projectPage } from "../storage/projections.ts";

const addInput = z.strictObject({
  page: refInput,
  template: z.string().max(64).describe("template key (schema_list)").optional(),
  copyFrom: refInput.describe("id of a section to duplicate, instead of template").optional(),
  variant: z.string().max(40).optional(),
  content: contentInput.optional(),
  position: positionInput.describe("from 1, or next to a section id; default: the end").optional(),
  hidden: z.boolean().optional(),
  locale: localeInput,
  expectedVersion: versionInput,
});

export const sectionAdd = defineKeyedTool<typeof addInput, SectionOutput>({
  name: "section_add",
  version: 1,
  title: "Add a section",
  description: "Adds a section to the draft of a page, from a template or as a copy of another section.",
  input: addInput,
  verbs: ["add", "create"],
  tier: "write",
  plan: planAdd,
  entities: (_, { section, page }) => sectionEntities("create", section, page),
});

async function planAdd(input: z.output<typeof addInput>, context: CmsContext): Promise<Plan<SectionOutput>> {
  if ((input.template === undefined) === (input.copyFrom === undefined)) {
    throw fail("invalid_input", "Name either a template or a section to copy.", { at: "template" });
  }
  const facts = await loadFacts(context);
  const { environment, templates } = facts;
  const before = await resolvePage(context.services, input.page);
  await checkExpected(
    context.services,
    { ...before.page, label: `The page “${before.page.name}”` },
    input.expectedVersion,
  );
  checkSectionLimit(before);
  const locale = pickLocale(environment, input.locale);
  const made =
    input.copyFrom === undefined
      ? (
          await planSections(
            context.services,
            environment,
            templates,
            before.page,
            [
              {
                template: input.template ?? "",
                variant: input.variant,
                hidden: input.hidden,
                content: input.content,
                at: "",
              },
            ],
            locale,
          )
        )[0]
      : await planCopy(input, input.copyFrom, before, locale, facts, context);
  if (made === undefined) throw new Error("one section was asked for");
  const section: Section = {
    id: minter(context.key)("sc"),
    pageId: before.page.id,
    template: made.template.key,
    variant: made.variant,
    hidden: made.hidden,
    sortKey: keyAt(indexOf(input.position, before.sections, before.page), before.sections),
    version: 1,
    deletedAt: null,
    createdAt: context.at,
    updatedAt: context.at,
    content: made.content,
  };
  const { after, changes } = editPage(before, { put: [{ before: null, after: section }] }, context.at);
  const name = sectionName(section, templates, environment);
  return {
    result: answer(context, after, section.id, facts),
    changes,
    projection: projectPage(after, templates, environment.defaultLocale, new Set([section.id])),
    impact: draftImpact(
      `Add a section to “${before.page.name}”`,
      `Add ${name} to the draft of “${before.page.name}”.`,
    ),
  };
}

async function planCopy(
  input: z.output<typeof addInput>,
  copyFrom: string,
  to: PageAggregate,
  locale: string,
  { environment, templates }: Facts,
  { services }: CmsContext,
) {
  const { section } = await resolveSection(services, copyFrom, "copyFrom");
  const template = pickTemplate(templates, section.template, to.page, "copyFrom");
  const content = await patchContent(
    template,
    section.content,
    input.content ?? {},
    [],
    locale,
    environment,
    services,
  );
  return {
    template,
    variant: input.variant === undefined ? section.variant : pickVariant(template, input.variant, "variant"),
    hidden: input.hidden ?? section.hidden,
    content,
  };
}

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
  lean: true,
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
  const { after, changes } = editPage(aggregate, { put: [{ before: old, after: section }] }, context.at);
  return {
    result: { ...answer(context, after, old.id, facts), changed },
    changes,
    projection: projectPage(after, templates, environment.defaultLocale, new Set([old.id])),
    impact: draftImpact(
      `Edit ${label}`,
      `Change ${changed.join(", ")} of ${label} on the draft of “${aggregate.page.name}”.`,
    ),
  };
}

function changedKeys(before: Section, after: Section, locale: string): string[] {
  const [old, now] = [ownValue(before.content, locale) ?? {}, ownValue(after.content, locale) ?? {}];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const fields = keys.filter(
    (key) => canonicalJson(ownValue(old, key)) !== canonicalJson(ownValue(now, key)),
  );
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
  if (!isSame) checkSectionLimit(target);
  const siblings = target.sections.filter((one) => one.id !== old.id);
  const index = indexOf(input.position, siblings, target.page);
  // A section that does not move keeps its key.
  const stays = isSame && index === source.sections.findIndex((one) => one.id === old.id);
  const section: Section = { ...old, sortKey: stays ? old.sortKey : keyAt(index, siblings) };
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
