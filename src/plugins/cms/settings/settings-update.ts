import * as z from "zod";
import { canonicalJson, ownValue } from "../../../cairn/core/log/json.ts";
import type { EntityRef } from "../../../cairn/core/log/tool.ts";
import { defineKeyedTool, NONE } from "../edit/keyed.ts";
import { contentInput, refInput } from "../edit/plan.ts";
import { pagePath } from "../edit/publish.ts";
import { resolveContents, resolvePage } from "../edit/refs.ts";
import { patched, validateContent } from "../model/validate.ts";
import type { Content, Field } from "../model/document.ts";
import { siteRoot } from "../model/environment.ts";
import { fail } from "../model/errors.ts";
import type { Change, CmsContext, Environment, Locale, Plan, Setting, Written } from "../model/types.ts";
import { loadEnvironment, loadSettings } from "../storage/load.ts";
import { mergeProjections, projectSetting } from "../storage/projections.ts";
import { isSeen, localesInput, planLocales } from "./locales.ts";

const text = (key: string, label: string, max: number): Field => ({ key, label, type: "text", max });
const FIELDS = {
  identity: [
    { ...text("title", "Title", 80), required: true },
    text("tagline", "Tagline", 160),
    { key: "logo", label: "Logo", type: "image" },
  ],
  seo: [
    text("titleTemplate", "Title template", 80),
    text("description", "Description", 320),
    { key: "ogImage", label: "Share image", type: "image" },
  ],
  home: [{ ...text("page", "Home page", 100), required: true }],
  theme: [text("accent", "Accent colour", 7)],
} as const satisfies Record<string, readonly Field[]>;
type Key = keyof typeof FIELDS;
const KEYS = ["identity", "seo", "home", "theme"] as const satisfies readonly Key[];

const input = z.strictObject({
  set: z
    .strictObject({
      identity: contentInput.describe("title, tagline, logo").optional(),
      seo: contentInput.describe("titleTemplate (with %s), description, ogImage").optional(),
      home: z.strictObject({ page: refInput.describe("id or slug of a public page") }).optional(),
      theme: z.strictObject({ accent: z.string().max(7).describe("#rrggbb") }).optional(),
    })
    .optional(),
  unset: z.array(z.string().max(40)).max(10).describe("clear: such as identity.tagline").optional(),
  locales: localesInput.optional(),
});

type Given = z.output<typeof input>;

export interface SettingsUpdated extends Written {
  readonly site: { readonly id: string; readonly name: string };
  readonly settings: { readonly [key: string]: Content };
  /** all languages, where one was changed */
  readonly locales?: readonly Omit<Locale, "version">[];
  readonly changed: readonly string[];
  readonly touched: readonly EntityRef[];
}

export const settingsUpdate = defineKeyedTool<typeof input, SettingsUpdated>({
  name: "settings_update",
  version: 1,
  title: "Change site settings",
  description:
    "Changes the given settings of the site: title, tagline, search texts, home page, accent colour, languages. They show at once, so a person decides.",
  input,
  verbs: ["update", "rename", "add"],
  tier: "write",
  plan,
  // A language that is not on the site can change unasked.
  policy: (_, { changes }) =>
    changes.every((one) => one.type === "locale" && !isSeen(one))
      ? NONE
      : { need: "human", reason: "It changes what visitors see, at once." },
  entities: (_, { site, touched }) => [
    { op: "touch", type: "site", id: site.id, name: site.name },
    ...touched,
  ],
});

async function plan(given: Given, context: CmsContext): Promise<Plan<SettingsUpdated>> {
  const { services, at } = context;
  const [environment, settings] = await Promise.all([loadEnvironment(services), loadSettings(services)]);
  const cleared = unsetKeys(given.unset ?? []);
  const edits: { key: Key; before: Setting | null; after: Setting }[] = [];
  const lines: string[] = [];
  for (const key of KEYS) {
    const before = settings.get(key) ?? null;
    const patch: Content = { ...given.set?.[key] };
    const value = await edited(key, before?.value ?? {}, patch, cleared.get(key) ?? [], environment, context);
    if (canonicalJson(value) === canonicalJson(before?.value ?? {})) continue;
    edits.push({ key, before, after: { key, value, version: (before?.version ?? 0) + 1, updatedAt: at } });
    if (typeof value.page === "string") lines.push(...(await homeLines(value.page, environment, context)));
  }
  const languages = await planLocales(given.locales, environment, context);
  const changedSettings = edits.flatMap(({ key, before, after }) =>
    [...new Set([...Object.keys(before?.value ?? {}), ...Object.keys(after.value)])]
      .filter(
        (one) => canonicalJson(ownValue(before?.value, one)) !== canonicalJson(ownValue(after.value, one)),
      )
      .map((one) => `${key}.${one}`),
  );
  const changed = [...changedSettings, ...languages.changed];
  const isPublic = edits.length > 0 || languages.isPublic;
  return {
    result: {
      ok: true,
      op: context.key,
      site: { id: environment.siteId, name: environment.siteName },
      settings: Object.fromEntries(edits.map(({ key, after }) => [key, after.value])),
      ...(languages.changed.length === 0
        ? {}
        : { locales: languages.locales.map(({ version: _, ...locale }) => locale) }),
      changed,
      touched: languages.entities,
      publicNow: isPublic,
      preview: { path: siteRoot(environment.id) },
    },
    changes: [
      ...edits.map(({ before, after }): Change => ({ type: "setting", before, after })),
      ...languages.changes,
    ],
    projection: mergeProjections(
      ...edits.map(({ after }) => projectSetting(after, environment.id)),
      languages.projection,
    ),
    impact: {
      title: "Change the settings of the site",
      summary: isPublic
        ? `Change ${changed.join(", ")}; every page shows it at once.`
        : `Change ${changed.join(", ")}; visitors see no difference.`,
      lines: [...lines, ...languages.lines],
      public: isPublic,
    },
  };
}

/** Keys to clear, by setting. Refuses `unknown_field` for anything but a setting and a key. */
function unsetKeys(unset: readonly string[]): ReadonlyMap<Key, readonly string[]> {
  const byKey = new Map<Key, string[]>();
  for (const path of unset) {
    const [name, field = "", ...rest] = path.split(".");
    const key = KEYS.find((one) => one === name);
    if (key === undefined || field === "" || rest.length > 0) {
      const all = KEYS.flatMap((one) => FIELDS[one].map((each) => `${one}.${each.key}`));
      throw fail("unknown_field", `There is no setting “${path}”.`, {
        at: "unset",
        hint: `Settings: ${all.join(", ")}.`,
        details: { allowed: all },
      });
    }
    byKey.set(key, [...(byKey.get(key) ?? []), field]);
  }
  return byKey;
}

/** The value of a setting after the patch, checked. */
async function edited(
  key: Key,
  before: Content,
  patch: Content,
  unset: readonly string[],
  environment: Environment,
  { services }: CmsContext,
): Promise<Content> {
  const at = `set.${key}`;
  const fields: readonly Field[] = FIELDS[key];
  const checked = validateContent(fields, patch, "patch", at);
  const [stored = {}] = await resolveContents(services, [{ fields, content: checked, at }]);
  const after = patched(fields, before, stored, unset, true);
  if (typeof stored.titleTemplate === "string" && !stored.titleTemplate.includes("%s")) {
    throw fail("invalid_input", "The title template has no %s, where the title of the page stands.", {
      at: `${at}.titleTemplate`,
      hint: `Write it such as “%s – ${environment.siteName}”.`,
    });
  }
  if (typeof stored.accent === "string" && !/^#[0-9a-f]{6}$/i.test(stored.accent)) {
    throw fail("invalid_input", `“${stored.accent}” is not a colour.`, {
      at: `${at}.accent`,
      hint: "Write it as #rrggbb, such as #2f6f4f.",
    });
  }
  if (typeof stored.page !== "string") return after;
  const { page } = await resolvePage(services, stored.page, `${at}.page`);
  if (page.kind === "layout" || page.status !== "published") {
    throw fail("invalid_input", `“${page.name}” is not public, so that it cannot be the home page.`, {
      at: `${at}.page`,
      hint: "Publish it first (set_status), or name another page.",
    });
  }
  return { ...after, page: page.id };
}

/** The effect of another home page on URLs. */
async function homeLines(
  home: string,
  environment: Environment,
  { services }: CmsContext,
): Promise<string[]> {
  const root = siteRoot(environment.id);
  const { page } = await resolvePage(services, home);
  const old =
    environment.homePageId === null ? null : (await resolvePage(services, environment.homePageId)).page;
  return [
    `${root} shows “${page.name}”`,
    ...(old === null
      ? []
      : [`“${old.name}” is then at ${pagePath(old, { ...environment, homePageId: page.id })}`]),
  ];
}
