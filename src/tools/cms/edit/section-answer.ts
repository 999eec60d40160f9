import type { ByLocale, Content } from "../model/document.ts";
import { sectionEntity } from "../model/entity.ts";
import { fail } from "../model/errors.ts";
import { loadEnvironment, loadTemplates } from "../storage/load.ts";
import { indexFor, type Position } from "../model/order.ts";
import { pageBrief, sectionBriefs } from "./plan.ts";
import { pagePath } from "./publish.ts";
import { resolveContents } from "./targets.ts";
import type {
  CmsContext,
  CmsServices,
  Environment,
  PageAggregate,
  PageBrief,
  Section,
  SectionBrief,
  Template,
  Written,
} from "../model/types.ts";
import { SECTIONS_PER_PAGE_MAX } from "../model/types.ts";
import { checkSize, patched, validateContent } from "./validate.ts";

/** What the section tools share: the facts they plan on, the edits of content, and the form of their answer. */

export interface SectionOutput extends Written {
  readonly section: SectionBrief;
  readonly page: PageBrief;
  /** all sections of the page, in order */
  readonly order: readonly SectionBrief[];
  /** keys of content and properties that differ now; on `section_update` */
  readonly changed?: readonly string[];
}

/** What every section tool looks up first. */
export interface Facts {
  readonly environment: Environment;
  readonly templates: ReadonlyMap<string, Template>;
}

export async function loadFacts({ services }: CmsContext): Promise<Facts> {
  const [environment, templates] = await Promise.all([loadEnvironment(services), loadTemplates(services)]);
  return { environment, templates };
}

/** The common part of a section's answer: the page as it is after, and where to look at it. */
export function answer(
  context: CmsContext,
  after: PageAggregate,
  id: string,
  { environment, templates }: Facts,
): SectionOutput {
  const order = sectionBriefs(after, templates, environment);
  const section = order.find((one) => one.id === id);
  if (section === undefined) throw new Error("a section that was edited is on its page");
  return {
    ok: true,
    op: context.key,
    section,
    page: pageBrief(after.page, environment),
    order,
    publicNow: false,
    preview: { path: pagePath(after.page, environment), section: id },
  };
}

/** Working copies only: visitors see nothing of it until the page is published. */
export function draftImpact(title: string, summary: string) {
  return { title, summary, lines: ["The public page stays as it is until it is published."], public: false };
}

/** The index among these siblings; refuses `not_found` when a neighbour is named that is not one of them. */
export function indexOf(
  position: Position | undefined,
  siblings: readonly Section[],
  page: PageAggregate["page"],
): number {
  const index = indexFor(
    position,
    siblings.map((one) => one.id),
  );
  if (index !== null) return index;
  throw fail("not_found", `The page “${page.name}” has no such section to stand next to.`, {
    at: "position",
    hint: "page_get lists its sections.",
    suggestions: siblings.slice(0, 3).map((one) => ({ label: one.template, ref: one.id })),
  });
}

/** Refuses `limit_exceeded` when a page takes no further section. */
export function checkRoom({ page, sections }: PageAggregate): void {
  if (sections.length < SECTIONS_PER_PAGE_MAX) return;
  throw fail(
    "limit_exceeded",
    `The page “${page.name}” has ${sections.length} sections; ${SECTIONS_PER_PAGE_MAX} is the limit.`,
    {
      hint: "Use another page, or delete a section first.",
    },
  );
}

/** The contents of a section after a patch in one locale; required fields bind in the default one. */
export async function patchContent(
  template: Template,
  before: ByLocale<Content>,
  given: Content,
  unset: readonly string[],
  locale: string,
  environment: Environment,
  services: CmsServices,
): Promise<ByLocale<Content>> {
  const { fields } = template;
  const checked = validateContent(fields, given, "patch", "content");
  const [stored = {}] = await resolveContents(services, [{ fields, content: checked, at: "content" }]);
  const after = patched(fields, before[locale] ?? {}, stored, unset, locale === environment.defaultLocale);
  return { ...before, [locale]: checkSize(after, "content") };
}

/** The section and its page, as working memory takes them. */
export function sectionEntities(op: "create" | "touch", section: SectionBrief, page: PageBrief) {
  return [
    sectionEntity(op, section, page.id),
    { op: "touch" as const, type: "page", id: page.id, name: page.name, slug: page.slug },
  ];
}
