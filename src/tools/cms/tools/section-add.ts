import * as z from "zod";
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
  type Facts,
  type SectionOutput,
  pickTemplate,
  pickVariant,
  planSections,
} from "../edit/section-plan.ts";
import { fail } from "../model/errors.ts";
import { minter } from "../model/ids.ts";
import { keyAt } from "../model/order.ts";
import type { CmsContext, PageAggregate, Plan, Section } from "../model/types.ts";
import { projectPage } from "../storage/projections.ts";

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
  checkRoom(before);
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
