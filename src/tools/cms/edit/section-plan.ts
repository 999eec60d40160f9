import type { ByLocale, Content } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { nearest } from "./refs.ts";
import { resolveContents } from "./targets.ts";
import type { CmsServices, Environment, Page, Template } from "../model/types.ts";
import { META_FIELDS, patched, validateContent } from "./validate.ts";

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

/** Header and footer stand in the layout only, all else on pages only. */
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

export interface NewSection {
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
  const after = patched(META_FIELDS, before[locale] ?? {}, stored, unset, false);
  const { [locale]: _, ...others } = before;
  return Object.keys(after).length === 0 ? others : { ...before, [locale]: after };
}
