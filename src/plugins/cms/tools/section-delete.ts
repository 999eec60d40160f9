import { startOf } from "../../../cairn/core/text/cut.ts";
import * as z from "zod";
import { sectionEntity } from "../model/entity.ts";
import { defineKeyedTool } from "../edit/keyed.ts";
import { loadEnvironment, loadTemplates } from "../storage/load.ts";
import { counted, editPage, pageBrief, refInput, sectionBriefs, sectionHeading } from "../edit/plan.ts";
import { mergeProjections, projectPage } from "../storage/projections.ts";
import { resolveSections } from "../edit/refs.ts";
import { releasedImages } from "../edit/released.ts";
import type { CmsContext, AnyPlan } from "../model/types.ts";

const input = z.strictObject({
  sections: z.array(refInput.describe("Section: its id (page_get)")).min(1).max(20),
});

export const sectionDelete = defineKeyedTool({
  name: "section_delete",
  version: 1,
  title: "Delete sections",
  description: "Deletes sections from the drafts of their pages, all or none. A person decides.",
  input,
  verbs: ["delete", "remove"],
  tier: "publish",
  plan,
  entities: (_, { deleted, pages }) => [
    ...deleted.map((section) => sectionEntity("delete", section, section.page)),
    ...pages.map(({ id, name, slug }) => ({ op: "touch" as const, type: "page", id, name, slug })),
  ],
});

async function plan(given: z.output<typeof input>, context: CmsContext) {
  const { services } = context;
  const [environment, templates] = await Promise.all([loadEnvironment(services), loadTemplates(services)]);
  const found = await resolveSections(services, given.sections);
  const ids = found.map((one) => one.section.id);
  const pages = [...new Map(found.map((one) => [one.aggregate.page.id, one.aggregate])).values()];
  const edits = pages.map((before) => {
    const remove = before.sections.filter((one) => ids.includes(one.id)).map((one) => one.id);
    return { before, remove, ...editPage(before, { remove }, context.at) };
  });
  const deleted = found.map(({ section, aggregate }) => ({
    id: section.id,
    template: section.template,
    heading: sectionHeading(section, templates, environment),
    page: aggregate.page.id,
  }));
  const lines = found.map(({ section, aggregate }) => {
    const heading = sectionHeading(section, templates, environment);
    const position = aggregate.sections.indexOf(section) + 1;
    const name = `${templates.get(section.template)?.name ?? section.template}${heading === "" ? "" : ` “${startOf(heading, 80)}”`}`;
    return `${name} (${section.id}), section ${position} of ${aggregate.sections.length} on “${aggregate.page.name}”`;
  });
  const released = await releasedImages(services, ids);
  const names = pages.map((one) => `“${one.page.name}”`).join(", ");
  const isPublic = pages.some((one) => one.page.status === "published");
  return {
    result: {
      ok: true,
      op: context.key,
      deleted,
      pages: edits.map(({ after }) => ({
        ...pageBrief(after.page, environment),
        order: sectionBriefs(after, templates, environment),
      })),
      publicNow: false,
    },
    changes: edits.flatMap((one) => one.changes),
    projection: mergeProjections(
      ...edits.map(({ after, remove }) =>
        projectPage(after, templates, environment.defaultLocale, new Set(remove)),
      ),
    ),
    impact: {
      title: `Delete ${counted(ids.length, "section")} from ${names}`,
      summary: `Delete ${counted(ids.length, "section")} from the draft of ${names}${isPublic ? "; visitors see it only after the next publication" : ""}.`,
      lines: [
        ...lines,
        ...released.map(
          (one) => `The image ${one.filename} (${one.id}) is then used nowhere else; it stays in the library`,
        ),
        ...(isPublic ? ["Public page unchanged until published"] : []),
        "It can be undone",
      ],
      public: false,
    },
  } satisfies AnyPlan;
}
