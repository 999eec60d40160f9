import { ownValue } from "../../../cairn/core/log/json.ts";
import type { ByLocale, Content, Field, StoredImage } from "../model/document.ts";
import { fail } from "../model/errors.ts";
import { slotAt, slotsOf, withImage } from "./image-slots.ts";
import { loadSettings, loadTemplates } from "../storage/load.ts";
import { checkExpected, editPage, sectionHeading } from "./plan.ts";
import { projectEntry, projectPage, projectSetting } from "../storage/projections.ts";
import { entryPath, pagePath } from "./publish.ts";
import { resolveCollection, resolveEntry, resolvePage, resolveSection } from "./refs.ts";
import { nearestWord } from "../model/nearest.ts";
import { siteRoot } from "../model/environment.ts";
import type { Change, CmsServices, Environment, Projection, SettingKey } from "../model/types.ts";
import { edited } from "../storage/unchanged.ts";
import { META_FIELDS } from "../model/validate.ts";

/** Targets that an image can be attached to, and the effect: one function for each kind of target. Reads only. */

type TargetType = "section" | "entry" | "page" | "setting";

/** An image on its way into a slot, the same for every kind of target. */
interface Attachment {
  readonly services: CmsServices;
  readonly environment: Environment;
  /** ms */
  readonly at: number;
  readonly ref: string;
  readonly field: string;
  /** the asked locale first, the default one last */
  readonly chain: readonly string[];
  readonly stored: StoredImage;
  readonly expectedVersion: number | undefined;
}

export interface AttachedTarget {
  readonly type: TargetType;
  readonly id: string;
  readonly name: string;
  readonly slug?: string;
  readonly parent?: { readonly type: string; readonly id: string };
  readonly version: number;
  readonly field: string;
  /** of a setting: the site that it belongs to */
  readonly site?: { readonly id: string; readonly name: string };
}

export interface Attached {
  readonly target: AttachedTarget;
  /** id of the image that was in the slot */
  readonly previous: string | null;
  readonly changes: readonly Change[];
  readonly projection: Projection;
  /** where it can be seen */
  readonly path: string;
  readonly isPublic: boolean;
}

export const ATTACH: Record<TargetType, (attachment: Attachment) => Promise<Attached>> = {
  section: attachToSection,
  entry: attachToEntry,
  page: attachToPage,
  setting: attachToSetting,
};

/** Where a setting can show an image. */
const SETTING_KEYS = ["identity", "seo"] as const satisfies readonly SettingKey[];
const SETTING_FIELDS: Record<(typeof SETTING_KEYS)[number], readonly Field[]> = {
  identity: [{ key: "logo", label: "Logo", type: "image" }],
  seo: [{ key: "ogImage", label: "Share image", type: "image" }],
};
const COVER: Field = { key: "cover", label: "Cover", type: "image" };

/** The contents with the image in the slot, in the asked locale. A list that the locale lacks is begun with what it shows. */
function placed(
  { chain, stored }: Attachment,
  fields: readonly Field[],
  contents: ByLocale<Content>,
  path: string,
  owner: string,
): { readonly contents: ByLocale<Content>; readonly previous: string | null } {
  const [locale = ""] = chain;
  const own = ownValue(contents, locale) ?? {};
  const shown = Object.fromEntries(
    chain.toReversed().flatMap((code) => Object.entries(ownValue(contents, code) ?? {})),
  );
  const slot = slotAt(path, slotsOf(fields, shown), owner);
  const key = /^[^.[]+/.exec(path)?.[0] ?? "";
  const base = shown[key] === undefined ? own : { ...own, [key]: shown[key] };
  return { contents: { ...contents, [locale]: withImage(base, slot.path, stored) }, previous: slot.current };
}

async function attachToSection(attachment: Attachment): Promise<Attached> {
  const { services, environment, at, ref, field, expectedVersion } = attachment;
  const { section, aggregate } = await resolveSection(services, ref, "target.ref");
  const templates = await loadTemplates(services);
  const template = templates.get(section.template);
  const name = sectionHeading(section, templates, environment) || template?.name || section.template;
  const label = `The section “${name}”`;
  await checkExpected(services, { id: section.id, version: section.version, label }, expectedVersion);
  const { contents, previous } = placed(attachment, template?.fields ?? [], section.content, field, label);
  const put = [{ before: section, after: { ...section, content: contents } }];
  const { after, changes } = editPage(aggregate, { put }, at);
  return {
    target: {
      type: "section",
      id: section.id,
      name,
      parent: { type: "page", id: after.page.id },
      version: after.sections.find((one) => one.id === section.id)?.version ?? section.version,
      field,
    },
    previous,
    changes,
    projection: projectPage(after, templates, environment.defaultLocale, new Set([section.id])),
    path: pagePath(after.page, environment),
    isPublic: false,
  };
}

async function attachToPage(attachment: Attachment): Promise<Attached> {
  const { services, environment, at, ref, expectedVersion } = attachment;
  const field = attachment.field.replace(/^meta\./, "");
  const aggregate = await resolvePage(services, ref, "target.ref");
  const { id, name, slug, version, meta } = aggregate.page;
  const label = `The page “${name}”`;
  await checkExpected(services, { id, version, label }, expectedVersion);
  const { contents, previous } = placed(attachment, META_FIELDS, meta, field, label);
  const { after, changes } = editPage(aggregate, { page: { meta: contents } }, at);
  const templates = await loadTemplates(services);
  return {
    target: { type: "page", id, name, slug, version: after.page.version, field },
    previous,
    changes,
    projection: projectPage(after, templates, environment.defaultLocale, new Set()),
    path: pagePath(after.page, environment),
    isPublic: false,
  };
}

async function attachToEntry(attachment: Attachment): Promise<Attached> {
  const { services, environment, at, ref, field, stored, expectedVersion } = attachment;
  const entry = await resolveEntry(services, ref, "target.ref");
  const collection = await resolveCollection(services, entry.collectionId);
  const { id, title, slug } = entry;
  const label = `The entry “${title}”`;
  await checkExpected(services, { id, version: entry.version, label }, expectedVersion);
  const isCover = field === COVER.key;
  if (isCover && (stored.alt !== undefined || stored.decorative !== undefined)) {
    throw fail("invalid_input", "A cover has no alternative text of its own; it shows that of the image.", {
      at: stored.alt === undefined ? "decorative" : "alt",
      hint: "Attach it without.",
    });
  }
  // The cover is a column, the same in all locales; for a wrong path it is listed with the slots of the content.
  const { contents, previous } = isCover
    ? { contents: entry.content, previous: entry.cover }
    : placed(attachment, [COVER, ...collection.fields], entry.content, field, label);
  const cover = isCover ? stored.image : entry.cover;
  const after = edited(entry, { ...entry, content: contents, cover }, at);
  return {
    target: {
      type: "entry",
      id,
      name: title,
      slug,
      parent: { type: "collection", id: collection.id },
      version: after.version,
      field,
    },
    previous,
    changes: [{ type: "entry", before: entry, after }],
    projection: projectEntry(after, collection, environment.defaultLocale),
    path: entryPath(entry, collection.slug, environment),
    isPublic: false,
  };
}

async function attachToSetting(attachment: Attachment): Promise<Attached> {
  const { services, environment, at, ref, field, stored, expectedVersion } = attachment;
  const keys = SETTING_KEYS;
  const key = keys.find((one) => one === ref);
  if (key === undefined) {
    throw fail("not_found", `There is no setting “${ref}” that shows an image.`, {
      at: "target.ref",
      hint: `The settings with images are: ${keys.join(", ")}.`,
      suggestions: nearestWord(ref, keys),
    });
  }
  const before = (await loadSettings(services)).get(key) ?? null;
  const label = `The setting “${key}”`;
  const version = before?.version ?? 0;
  await checkExpected(services, { id: `${environment.id}/${key}`, version, label }, expectedVersion);
  const slot = slotAt(field, slotsOf(SETTING_FIELDS[key], before?.value ?? {}), label);
  const value = withImage(before?.value ?? {}, slot.path, stored);
  const after =
    before === null
      ? { key, value, version: version + 1, updatedAt: at }
      : edited(before, { ...before, value }, at);
  return {
    target: {
      type: "setting",
      id: key,
      name: `setting ${key}`,
      version: after.version,
      field: slot.path,
      site: { id: environment.siteId, name: environment.siteName },
    },
    previous: slot.current,
    changes: [{ type: "setting", before, after }],
    projection: projectSetting(after, environment.id),
    path: siteRoot(environment.id),
    isPublic: true,
  };
}
