import { ownValue } from "../../../cairn/core/log/json.ts";
import type { ByLocale, Content } from "../model/document.ts";
import { sectionEntity } from "../model/entity.ts";
import { fail } from "../model/errors.ts";
import { indexFor, type Position } from "../model/order.ts";
import {
  type CmsServices,
  type Environment,
  type Page,
  type Template,
  type CmsContext,
  type PageAggregate,
  type PageBrief,
  type Section,
  type SectionBrief,
  type Written,
  SECTIONS_PER_PAGE_MAX,
} from "../model/types.ts";
import { loadEnvironment, loadTemplates } from "../storage/load.ts";
import { pageBrief, sectionBriefs } from "./plan.ts";
import { pagePath } from "./publish.ts";
import { resolveContents } from "./refs.ts";
import { nearest } from "../model/nearest.ts";
import { META_FIELDS, patched, validateContent, checkSize } from "../model/validate.ts";

/** A template by key. Refuses `unknown_template` with the nearest, and `template_region` when it has no place on the page. */
export function pickTemplate(
  templates: ReadonlyMap<string, Template>,
  key: string,
  page: Pick<Page, "kind">,
  at: string,
): Template {
  const template = templates.get(key);
  if (template === undefined) {
    const candidates = [...templates.values()].map((one) => ({
      label: one.name,
      value: one.key,
      names: [one.key, one.name],
    }));
    throw fail("unknown_template", `There is no section template “${key}”.`, {
      at,
      hint: `Templates: ${[...templates.keys()].join(", ")}. schema_list shows their fields.`,
      suggestions: nearest(key, candidates),
    });
  }
  checkRegion(template, page, at);
  return template;
}

/** Header and footer are allowed in the layout only, all others on pages only. */
export function checkRegion(template: Template, page: Pick<Page, "kind">, at: string): void {
  if ((template.region === "main") === (page.kind === "page")) return;
  const where =
    template.region === "main"
      ? "stands on pages, not in the layout"
      : "stands in the layout only, once for all pages";
  throw fail("template_region", `A ${template.name} section ${where}.`, {
    at,
    hint:
      template.region === "main"
        ? "Choose a page."
        : "Edit the section of the layout page instead (page_get _layout).",
  });
}

export function pickVariant(template: Template, variant: string | undefined, at: string): string {
  if (variant === undefined) return template.variants[0] ?? "default";
  if (template.variants.includes(variant)) return variant;
  throw fail("invalid_content", `“${template.key}” has no variant “${variant}”.`, {
    at,
    hint: `Variants: ${template.variants.join(", ")}.`,
    suggestions: template.variants.slice(0, 3).map((one) => ({ label: one, value: one })),
  });
}

interface NewSection {
  readonly template: Template;
  readonly variant: string;
  readonly hidden: boolean;
  readonly content: ByLocale<Content>;
}

/** Sections as given in a call, validated one by one (`sections[1].content.title`), with all links resolved at once. */
export async function planSections(
  services: CmsServices,
  environment: Environment,
  templates: ReadonlyMap<string, Template>,
  page: Pick<Page, "kind">,
  given: readonly {
    readonly template: string;
    readonly variant?: string | undefined;
    readonly hidden?: boolean | undefined;
    readonly content?: Content | undefined;
    readonly at: string;
  }[],
  locale: string,
): Promise<NewSection[]> {
  const path = (at: string, key: string) => (at === "" ? key : `${at}.${key}`);
  // Every template is looked at before any content, so that the first error named is the most basic one.
  const picked = given.map((one) => ({
    ...one,
    template: pickTemplate(templates, one.template, page, path(one.at, "template")),
  }));
  const mode = locale === environment.defaultLocale ? "create" : "patch";
  const checked = picked.map((one) => ({
    ...one,
    variant: pickVariant(one.template, one.variant, path(one.at, "variant")),
    fields: one.template.fields,
    content: validateContent(one.template.fields, one.content ?? {}, mode, path(one.at, "content")),
    at: path(one.at, "content"),
  }));
  const contents = await resolveContents(services, checked);
  return checked.map((one, i) => ({
    template: one.template,
    variant: one.variant,
    hidden: one.hidden ?? false,
    content: { [locale]: contents[i] ?? {} },
  }));
}

/** Page meta after a patch, validated and resolved. */
export async function planMeta(
  services: CmsServices,
  before: ByLocale<Content>,
  given: Content,
  unset: readonly string[],
  locale: string,
): Promise<ByLocale<Content>> {
  const checked = validateContent(META_FIELDS, given, "patch", "meta");
  const [stored = {}] = await resolveContents(services, [
    { fields: META_FIELDS, content: checked, at: "meta" },
  ]);
  const after = patched(META_FIELDS, ownValue(before, locale) ?? {}, stored, unset, false);
  const { [locale]: _, ...others } = before;
  return Object.keys(after).length === 0 ? others : { ...before, [locale]: after };
}

/** Shared by the section tools: the facts they plan on, the edits of content, and the form of their answer. */

export interface SectionOutput extends Written {
  readonly section: SectionBrief;
  readonly page: PageBrief;
  /** all sections of the page, in order */
  readonly order: readonly SectionBrief[];
  /** keys of content and properties that differ now; on `section_update` */
  readonly changed?: readonly string[];
}

/** Facts that every section tool loads first. */
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
export function checkSectionLimit({ page, sections }: PageAggregate): void {
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
  const after = patched(
    fields,
    ownValue(before, locale) ?? {},
    stored,
    unset,
    locale === environment.defaultLocale,
  );
  return { ...before, [locale]: checkSize(after, "content") };
}

/** The section and its page, as working memory takes them. */
export function sectionEntities(op: "create" | "touch", section: SectionBrief, page: PageBrief) {
  return [
    sectionEntity(op, section, page.id),
    { op: "touch" as const, type: "page", id: page.id, name: page.name, slug: page.slug },
  ];
}
