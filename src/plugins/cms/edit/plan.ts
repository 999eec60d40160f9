import { ownValue } from "../../../cairn/core/log/json.ts";
import * as z from "zod";
import type { Field } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { headingOf } from "../storage/projections.ts";
import { isSame } from "../storage/unchanged.ts";
import { isDirty, pagePath } from "./publish.ts";
import { rowsOf } from "../storage/rows.ts";
import { number, objectIn, text } from "../model/columns.ts";
import type {
  Change,
  CmsServices,
  Environment,
  Page,
  PageAggregate,
  PageBrief,
  Section,
  SectionBrief,
  Template,
} from "../model/types.ts";

/** The parts that plans are made of: inputs that many tools share, edits of a page in memory, and briefs of what is after. */

/** A line of visible text: a name, a label. Without line breaks. */
export const lineInput = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text), { error: "has a control character" })
    .refine((text) => /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text), {
      error: "has no visible character",
    });
/**
 * An ID or a slug. The schema omits its bounds, which are checked: in the schemas of all tools they would be a tenth
 * of the text.
 */
export const refInput = z
  .string()
  .trim()
  .refine((ref) => ref !== "", { error: "It must not be empty." })
  .refine((ref) => ref.length <= 100, { error: "It must have at most 100 characters." });
export const localeInput = z.string().min(2).max(20).describe("default: the default locale").optional();
export const versionInput = z
  .number()
  .int()
  .min(1)
  .describe("refuse if the version is another one")
  .optional();
export const contentInput = z.record(z.string(), z.json()).describe("values by field key (schema_list)");
export const positionInput = z.union([
  z.number().int().min(1),
  z.strictObject({ before: refInput }),
  z.strictObject({ after: refInput }),
]);

/** The locale that a write is for. Refuses `locale_unknown`. */
export function pickLocale(environment: Environment, requested: string | undefined): string {
  if (requested === undefined) return environment.defaultLocale;
  const found = environment.locales.find((one) => one.code.toLowerCase() === requested.toLowerCase());
  if (found !== undefined) return found.code;
  const codes = environment.locales.map((one) => one.code);
  throw fail("locale_unknown", `The site has no locale “${requested}”.`, {
    at: "locale",
    hint: `Its locales are: ${codes.join(", ")}.`,
    suggestions: codes.slice(0, 3).map((code) => ({ label: code, value: code })),
  });
}

interface SectionPut {
  readonly before: Section | null;
  readonly after: Section;
}

/**
 * A page after an edit, in memory: `put` sections are new or changed, `drop` ones leave the page without a change of
 * their own (moved elsewhere), `remove` ones are deleted softly. Everything changed gets the next version; where nothing
 * is, the page stays as it is.
 */
export function editPage(
  before: PageAggregate,
  edit: {
    readonly page?: Partial<Page>;
    readonly put?: readonly SectionPut[];
    readonly remove?: readonly string[];
    readonly drop?: readonly string[];
  },
  at: number,
): { readonly after: PageAggregate; readonly changes: readonly Change[] } {
  const page: Page = { ...before.page, ...edit.page, version: before.page.version + 1, updatedAt: at };
  const put = (edit.put ?? [])
    .map(({ before: old, after }): SectionPut => ({
      before: old,
      after: { ...after, pageId: page.id, version: old === null ? 1 : old.version + 1, updatedAt: at },
    }))
    .filter((one) => !isSame(one.before, one.after));
  const moves = put.length + (edit.remove ?? []).length + (edit.drop ?? []).length;
  if (moves === 0 && isSame(before.page, page)) return { after: before, changes: [] };
  const removed = before.sections
    .filter((one) => edit.remove?.includes(one.id))
    .map((one): SectionPut => ({
      before: one,
      after: { ...one, version: one.version + 1, deletedAt: at, updatedAt: at },
    }));
  const gone = new Set([...put.map((one) => one.after.id), ...(edit.remove ?? []), ...(edit.drop ?? [])]);
  const sections = [...before.sections.filter((one) => !gone.has(one.id)), ...put.map((one) => one.after)];
  sections.sort((a, b) => (a.sortKey < b.sortKey ? -1 : a.sortKey > b.sortKey ? 1 : 0));
  return {
    after: { page, sections },
    changes: [
      { type: "page", before: before.page, after: page },
      ...[...put, ...removed].map((one): Change => ({ type: "section", ...one })),
    ],
  };
}

export function pageBrief(page: Page, environment: Environment): PageBrief {
  const { id, slug, name, status, version } = page;
  return { id, slug, name, status, version, dirty: isDirty(page), url: pagePath(page, environment) };
}

/** The heading of a section in the default locale, as people know it. */
export function sectionHeading(
  section: Section,
  templates: ReadonlyMap<string, Template>,
  environment: Environment,
): string {
  const fields: readonly Field[] = templates.get(section.template)?.fields ?? [];
  return headingOf(
    fields,
    ownValue(section.content, environment.defaultLocale) ?? Object.values(section.content)[0] ?? {},
  );
}

/** A section in a sentence: `Hero “Welcome”`. */
export function sectionName(
  section: Section,
  templates: ReadonlyMap<string, Template>,
  environment: Environment,
): string {
  const heading = sectionHeading(section, templates, environment);
  const name = templates.get(section.template)?.name ?? section.template;
  return heading === "" ? name : `${name} “${heading}”`;
}

export function sectionBriefs(
  { sections }: PageAggregate,
  templates: ReadonlyMap<string, Template>,
  environment: Environment,
): SectionBrief[] {
  return sections.map((one, i) => {
    const { id, template, variant, hidden, version } = one;
    return {
      id,
      template,
      variant,
      position: i + 1,
      hidden,
      heading: sectionHeading(one, templates, environment),
      version,
    };
  });
}

/** `1 section`, `3 sections`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Refuses `version_conflict` when the caller expected another version, with what has changed since, when and by whom.
 */
export async function checkExpected(
  services: CmsServices,
  thing: { readonly id: string; readonly version: number; readonly label: string },
  expected: number | undefined,
): Promise<void> {
  if (expected === undefined || expected === thing.version) return;
  const rows = await rowsOf(
    services,
    `SELECT r.before, r.after, r.created_at, o.actor FROM revisions r JOIN operations o ON o.key=r.op_key
      WHERE r.entity_type IN ('page','section','entry','nav_item','setting','image') AND r.entity_id=?1 AND r.version_after>?2 AND r.env_id=?3 AND r.before IS NOT NULL AND r.after IS NOT NULL
      ORDER BY r.created_at DESC, r.seq DESC LIMIT 20`,
    thing.id,
    expected,
    services.env,
  );
  const changed = rows.flatMap((row) => {
    const [before, after] = [objectIn(row, "before"), objectIn(row, "after")];
    return Object.keys(after).filter(
      (key) => JSON.stringify(ownValue(before, key)) !== JSON.stringify(ownValue(after, key)),
    );
  });
  const last = rows[0];
  throw fail("version_conflict", `${thing.label} is at version ${thing.version}, not ${expected}.`, {
    at: "expectedVersion",
    hint: "Read it again, then repeat the change on what is there now.",
    details: {
      current: thing.version,
      changedFields: [...new Set(changed)].filter((key) => key !== "version" && key !== "updatedAt").sort(),
      by: last === undefined ? null : text(last, "actor"),
      at: last === undefined ? null : number(last, "created_at"),
    },
  });
}
