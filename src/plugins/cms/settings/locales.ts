import * as z from "zod";
import { canonicalJson } from "../../../cairn/core/log/json.ts";
import type { EntityRef } from "../../../cairn/core/log/tool.ts";
import { loadSchemas } from "../checks/facts.ts";
import { lineInput } from "../edit/plan.ts";
import { nearest } from "../model/nearest.ts";
import { siteRoot } from "../model/environment.ts";
import { fail } from "../model/errors.ts";
import { takeableCode } from "../storage/slugs.ts";
import type { Change, CmsContext, Environment, Locale, Projection } from "../model/types.ts";
import { loadCounts } from "../storage/counts.ts";
import { mergeProjections, NO_PROJECTION } from "../storage/projections.ts";
import { rowsOf } from "../storage/rows.ts";
import { text } from "../model/columns.ts";
import { projectStructure, siteAfter } from "../storage/structure.ts";
import { switchDefault } from "./default-locale.ts";

/** The languages of the site: adding one, putting it on the site or taking it off, and which is the default. */

const LOCALES_MAX = 30;
const codeInput = z.string().min(2).max(20);

export const localesInput = z.strictObject({
  add: z
    .strictObject({ code: codeInput, name: lineInput(60), fallback: codeInput.optional() })
    .describe("off the site at first; a known code: another name or fallback")
    .optional(),
  activate: codeInput.optional(),
  deactivate: codeInput.optional(),
  setDefault: codeInput.optional(),
});

type Given = z.output<typeof localesInput>;

export interface LocaleEdit {
  readonly changes: readonly Change[];
  readonly projection: Projection;
  readonly lines: readonly string[];
  readonly changed: readonly string[];
  readonly locales: readonly Locale[];
  readonly entities: readonly EntityRef[];
  /** something on public pages differs, if only a name */
  readonly isPublic: boolean;
}

/** Refuses what would leave the site without a default language or a language without an end to its fallbacks. */
export async function planLocales(
  given: Given | undefined,
  environment: Environment,
  context: CmsContext,
): Promise<LocaleEdit> {
  const { services, at } = context;
  const before = new Map(environment.locales.map((one) => [one.code, one]));
  const after = new Map(before);
  const edit = (code: string, part: Partial<Locale>): void => {
    const one = after.get(code);
    if (one !== undefined) after.set(code, { ...one, ...part });
  };
  if (given?.add !== undefined) {
    const locale = await added(given.add, after, context);
    after.set(locale.code, locale);
  }
  const known = (code: string, key: keyof Given): string => knownCode(code, `locales.${key}`, after);
  if (given?.activate !== undefined) edit(known(given.activate, "activate"), { active: true });
  const old = environment.defaultLocale;
  const next = given?.setDefault === undefined ? old : known(given.setDefault, "setDefault");
  if (next !== old) {
    if (after.get(next)?.active !== true)
      throw fail("invalid_input", `“${next}” is not on the site yet.`, {
        at: "locales.setDefault",
        hint: "Pass activate with the same code too.",
      });
    edit(old, { isDefault: false });
    edit(next, { isDefault: true, fallback: null });
  }
  if (given?.deactivate !== undefined) {
    const code = known(given.deactivate, "deactivate");
    if (code === next)
      throw fail("invalid_input", `“${code}” is the default language, which is always on the site.`, {
        at: "locales.deactivate",
        hint: "Make another language the default one first (setDefault).",
      });
    edit(code, { active: false });
  }
  checkFallbacks(after);
  const changes = [...after.values()].flatMap((one): Change[] => {
    const was = before.get(one.code) ?? null;
    if (was !== null && canonicalJson({ ...was }) === canonicalJson({ ...one })) return [];
    return [
      { type: "locale", before: was, after: was === null ? one : { ...one, version: was.version + 1 } },
    ];
  });
  if (changes.length === 0) return NOTHING(environment);
  const site = siteAfter({ environment, schemas: await loadSchemas(services) }, changes);
  if (next !== old && services.changeSet !== undefined)
    throw fail(
      "invalid_input",
      "Another default language changes the whole site, and cannot wait in a change set.",
      {
        at: "locales.setDefault",
        hint: "Publish the set or throw it away first.",
      },
    );
  const switched = next === old ? null : await switchDefault(services, { old, next }, site, at);
  const all = [...changes, ...(switched?.changes ?? [])];
  return {
    changes: all,
    projection: mergeProjections(
      switched?.projection ?? NO_PROJECTION,
      await projectStructure(services, all, site),
    ),
    lines: [...(await linesOf(changes, environment, next, context)), ...(switched?.lines ?? [])],
    changed: changes.flatMap(changedWords),
    locales: site.environment.locales,
    entities: changes.flatMap((one): EntityRef[] => {
      if (one.type !== "locale" || one.after === null) return [];
      const { code, name } = one.after;
      return [{ op: one.before === null ? "create" : "touch", type: "locale", id: code, name }];
    }),
    isPublic: changes.some(
      (one) => one.type === "locale" && [one.before, one.after].some((side) => side?.active === true),
    ),
  };
}

const NOTHING = ({ locales }: Environment): LocaleEdit => ({
  changes: [],
  projection: NO_PROJECTION,
  lines: [],
  changed: [],
  entities: [],
  locales,
  isPublic: false,
});

/** True where visitors find something else: other addresses, another fallback, or another name in the switcher. */
export function isSeen({ type, before, after }: Change): boolean {
  if (type !== "locale" || after === null) return false;
  if (before === null) return after.active;
  return (
    before.active !== after.active ||
    before.isDefault !== after.isDefault ||
    (after.active && (before.fallback !== after.fallback || before.name !== after.name))
  );
}

async function added(
  { code: requested, name, fallback: named }: NonNullable<Given["add"]>,
  locales: ReadonlyMap<string, Locale>,
  { services }: CmsContext,
): Promise<Locale> {
  const code = canonicalCode(requested, "locales.add.code");
  const same = [...locales.values()].find((one) => one.code.toLowerCase() === code.toLowerCase());
  const fallback = named === undefined ? undefined : knownCode(named, "locales.add.fallback", locales);
  if (same !== undefined) {
    if (same.isDefault && fallback !== undefined)
      throw fail("invalid_input", "The default language falls back to nothing.", {
        at: "locales.add.fallback",
      });
    return { ...same, name, fallback: fallback ?? same.fallback };
  }
  if (locales.size >= LOCALES_MAX)
    throw fail("limit_exceeded", `A site has at most ${LOCALES_MAX} languages.`, { at: "locales.add" });
  await takeableCode(services, code, "locales.add.code");
  return { code, name, fallback: fallback ?? null, isDefault: false, active: false, version: 1 };
}

/** A language tag of BCP 47 in its usual spelling, such as `de` or `pt-BR`. */
function canonicalCode(code: string, at: string): string {
  const no = () =>
    fail("invalid_input", `“${code}” is no code of a language.`, {
      at,
      hint: "Two or three letters, and a region where it matters: de, fr, pt-BR.",
    });
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(code)) throw no();
  try {
    return Intl.getCanonicalLocales(code)[0] ?? code;
  } catch {
    throw no();
  }
}

function knownCode(code: string, at: string, locales: ReadonlyMap<string, Locale>): string {
  const all = [...locales.values()];
  const found = all.find((one) => one.code.toLowerCase() === code.toLowerCase());
  if (found !== undefined) return found.code;
  const near = nearest(
    code,
    all.map(({ code, name }) => ({ label: name, value: code, names: [code, name] })),
  );
  const rest = all.slice(0, 3).map(({ code, name }) => ({ label: name, value: code }));
  throw fail("locale_unknown", `The site has no language “${code}”.`, {
    at,
    hint: `Its languages are: ${all.map((one) => one.code).join(", ")}. Add it with locales.add.`,
    suggestions: near.length > 0 ? near : rest,
  });
}

function checkFallbacks(locales: ReadonlyMap<string, Locale>): void {
  for (const { code } of locales.values()) {
    const seen = [code];
    let next = locales.get(code)?.fallback ?? null;
    while (next !== null) {
      if (seen.includes(next))
        throw fail("invalid_input", `The fallbacks go round in a circle: ${[...seen, next].join(" → ")}.`, {
          at: "locales.add.fallback",
          hint: "Fall back to the default language, or to none.",
        });
      seen.push(next);
      next = locales.get(next)?.fallback ?? null;
    }
  }
}

function changedWords(change: Change): string[] {
  if (change.type !== "locale" || change.after === null) return [];
  const { before, after } = change;
  if (before === null) return [`language ${after.code}`];
  return (["name", "fallback", "active", "isDefault"] as const)
    .filter((key) => before[key] !== after[key])
    .map((key) => `${key === "isDefault" ? "default" : key} of ${after.code}`);
}

/** The URLs that appear or vanish, and how much of the language there is. */
async function linesOf(
  changes: readonly Change[],
  environment: Environment,
  next: string,
  { services }: CmsContext,
): Promise<string[]> {
  const root = siteRoot(services.env);
  const { coverage } = await loadCounts(services, environment);
  const lines: string[] = [];
  for (const change of changes) {
    if (change.type !== "locale" || change.after === null) continue;
    const { before, after } = change;
    const share = `${coverage(after.code)} % of what ${environment.defaultLocale} says is translated into ${after.code}`;
    if (before === null && !after.active) lines.push(`${after.name} (${after.code}) is not on the site yet`);
    if ((before?.isDefault ?? false) !== after.isDefault)
      lines.push(
        after.isDefault
          ? `${root} is in ${after.name}; ${root}${after.code}/ answers 404 from then on`
          : `${after.name} moves from ${root} to ${root}${after.code}/`,
        ...(after.isDefault ? [share] : []),
      );
    else if ((before?.active ?? false) !== after.active) {
      const urls = await urlsOf(after.code, root, environment, services);
      lines.push(
        after.active
          ? `New URLs: ${urls}; what is not translated falls back to ${after.fallback ?? next}`
          : `These URLs answer 404: ${urls}`,
        ...(after.active ? [share] : []),
      );
    }
  }
  return lines;
}

/** URLs of the language that visitors can read. */
async function urlsOf(
  code: string,
  root: string,
  environment: Environment,
  services: CmsContext["services"],
): Promise<string> {
  const rows = await rowsOf(
    services,
    `SELECT CASE p.id WHEN ?2 THEN '' ELSE p.slug END AS path FROM pages p
      WHERE p.env_id=?1 AND p.deleted_at IS NULL AND p.kind='page' AND p.status='published'
     UNION ALL SELECT c.slug||'/'||e.slug FROM entries e JOIN collections c ON c.id=e.collection_id
      WHERE e.env_id=?1 AND e.deleted_at IS NULL AND e.status='published' ORDER BY 1`,
    services.env,
    environment.homePageId ?? "",
  );
  const urls = rows.map((row) => `${root}${code}/${text(row, "path")}`);
  return urls.length === 0 ? `${root}${code}/` : urls.join(", ");
}
