import { type Json, isObject, ownValue } from "../../../cairn/core/log/json.ts";
import { walkFields } from "../model/values.ts";
import type { ByLocale, Content, Field, PublishedDocument } from "../model/document.ts";
import { wantedIn } from "../model/links.ts";
import type {
  AssetRef,
  Collection,
  Entry,
  NavTarget,
  PageAggregate,
  Projection,
  SearchDocument,
  Section,
  Setting,
  StoredNavItem,
  Template,
} from "../model/types.ts";
import { SEARCH_BODY_BYTES_MAX } from "../model/types.ts";
import { bytesOf, META_FIELDS } from "../model/validate.ts";

/** `asset_refs` and `search_docs` are views of the content: made here, purely, and written in the batch of the change. */

export const NO_PROJECTION: Projection = {
  clearOwners: [],
  clearRoots: [],
  refs: [],
  clearDocuments: [],
  documents: [],
};

export function mergeProjections(...parts: readonly Projection[]): Projection {
  return {
    clearOwners: parts.flatMap((one) => one.clearOwners),
    clearRoots: parts.flatMap((one) => one.clearRoots),
    refs: parts.flatMap((one) => one.refs),
    clearDocuments: parts.flatMap((one) => one.clearDocuments),
    documents: parts.flatMap((one) => one.documents),
  };
}

const ENTRY_FIELDS: readonly Field[] = [
  { key: "title", label: "Title", type: "text" },
  { key: "excerpt", label: "Excerpt", type: "text" },
];

type Owner = Pick<AssetRef, "ownerType" | "ownerId" | "rootType" | "rootId" | "state">;

function refsIn(fields: readonly Field[], contents: ByLocale<Content>, owner: Owner): AssetRef[] {
  return Object.entries(contents).flatMap(([locale, content]) =>
    wantedIn(fields, content).map((one) => ({
      targetType: one.type,
      targetId: one.ref,
      ...owner,
      locale,
      path: one.at,
    })),
  );
}

/** The words of a content, for search: no markup, no URLs. */
export function plainText(fields: readonly Field[], content: Content): string {
  const words = [...walkFields(fields, content)].flatMap(({ field, value }) => fieldTexts(field, value));
  return words.filter((one) => one !== "").join("\n");
}

function fieldTexts(field: Field, value: Json | undefined): string[] {
  if (field.type === "text" && typeof value === "string") return [value.trim()];
  if (field.type === "tags" && Array.isArray(value))
    return [value.filter((one) => typeof one === "string").join(" ")];
  if (field.type !== "markdown" || typeof value !== "string") return [];
  const withoutTargets = value.replace(/\]\([^)\]]*\)/g, "]").replace(/^[ \t]*\[[^[\]\n]+\]:.*$/gm, "");
  return [
    withoutTargets
      .replace(/[`*_~#>|[\]!\\]+/g, " ")
      .replace(/[^\S\n]+/g, " ")
      .trim(),
  ];
}

/** The first text of a content that names it: its heading, title or name. Empty when there is none. */
export function headingOf(fields: readonly Field[], content: Content): string {
  for (const field of fields) {
    const value = ownValue(content, field.key);
    if (field.type === "text" && typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return "";
}

function cut(body: string): string {
  if (bytesOf(body) <= SEARCH_BODY_BYTES_MAX) return body;
  const bytes = new TextEncoder().encode(body).slice(0, SEARCH_BODY_BYTES_MAX);
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes, { stream: true });
}

/**
 * The working copy of a page: its own projections, and those of its sections (all, or only the named ones).
 * A removed section is named and absent from the aggregate.
 */
export function projectPage(
  aggregate: PageAggregate,
  templates: ReadonlyMap<string, Template>,
  defaultLocale: string,
  only?: ReadonlySet<string>,
): Projection {
  const { page, sections } = aggregate;
  const root = { rootType: "page", rootId: page.id, state: "draft" } as const;
  const own = sections.filter((one) => only === undefined || only.has(one.id));
  const named = [...(only ?? sections.map((one) => one.id))];
  const locales = new Set([
    defaultLocale,
    ...Object.keys(page.meta),
    ...sections.flatMap((one) => Object.keys(one.content)),
  ]);
  const documents = [...locales].map((locale): SearchDocument => {
    const texts = sections.filter((one) => !one.hidden).map((one) => sectionText(one, templates, locale));
    const body = [plainText(META_FIELDS, ownValue(page.meta, locale) ?? {}), ...texts]
      .filter((one) => one !== "")
      .join("\n");
    return {
      kind: "page",
      refId: page.id,
      locale,
      status: page.status,
      title: page.name,
      slug: page.slug,
      body: cut(body),
      parentId: null,
    };
  });
  return {
    clearOwners: [
      { type: "page", id: page.id, state: "draft" },
      ...named.map((id) => ({ type: "section", id, state: "draft" as const })),
    ],
    clearRoots: [],
    refs: [
      ...refsIn(META_FIELDS, page.meta, { ...root, ownerType: "page", ownerId: page.id }),
      ...own.flatMap((one) =>
        refsIn(fieldsOf(one, templates), one.content, { ...root, ownerType: "section", ownerId: one.id }),
      ),
    ],
    clearDocuments: [{ kind: "page", id: page.id }, ...named.map((id) => ({ kind: "section" as const, id }))],
    documents: [
      ...documents,
      ...own.flatMap((one) => sectionDocuments(one, aggregate, templates, defaultLocale)),
    ],
  };
}

function fieldsOf(
  section: Pick<Section, "template">,
  templates: ReadonlyMap<string, Template>,
): readonly Field[] {
  return templates.get(section.template)?.fields ?? [];
}

function sectionText(section: Section, templates: ReadonlyMap<string, Template>, locale: string): string {
  return plainText(fieldsOf(section, templates), ownValue(section.content, locale) ?? {});
}

function sectionDocuments(
  section: Section,
  { page }: PageAggregate,
  templates: ReadonlyMap<string, Template>,
  defaultLocale: string,
): SearchDocument[] {
  const template = templates.get(section.template);
  return [...new Set([defaultLocale, ...Object.keys(section.content)])].map((locale) => {
    const content = ownValue(section.content, locale) ?? ownValue(section.content, defaultLocale) ?? {};
    const heading = headingOf(template?.fields ?? [], content);
    return {
      kind: "section",
      refId: section.id,
      locale,
      status: page.status,
      title: `${template?.name ?? section.template}${heading === "" ? "" : ` ${heading}`}`,
      slug: "",
      body: cut(sectionText(section, templates, locale)),
      parentId: page.id,
    };
  });
}

/** A deleted page: all of its projections go, those of its sections and of its published document too. */
export function projectPageGone({ page, sections }: PageAggregate): Projection {
  return {
    ...NO_PROJECTION,
    clearRoots: (["draft", "published"] as const).map((state) => ({ type: "page", id: page.id, state })),
    clearDocuments: [
      { kind: "page", id: page.id },
      ...sections.map((one) => ({ kind: "section" as const, id: one.id })),
    ],
  };
}

/** The working copy of an entry. A deleted one leaves nothing. */
export function projectEntry(entry: Entry, collection: Collection, defaultLocale: string): Projection {
  const cleared: Projection = {
    ...NO_PROJECTION,
    clearOwners: [{ type: "entry", id: entry.id, state: "draft" }],
    clearDocuments: [{ kind: "entry", id: entry.id }],
  };
  if (entry.deletedAt !== null)
    return { ...cleared, clearRoots: [{ type: "entry", id: entry.id, state: "published" }] };
  const owner = {
    ownerType: "entry",
    ownerId: entry.id,
    rootType: "entry",
    rootId: entry.id,
    state: "draft",
  } as const;
  const fields = [...ENTRY_FIELDS.slice(1), ...collection.fields];
  const locales = [...new Set([defaultLocale, ...Object.keys(entry.content)])];
  return {
    ...cleared,
    refs: [...coverRef(entry.cover, owner), ...refsIn(fields, entry.content, owner)],
    documents: locales.map((locale) => {
      const content = ownValue(entry.content, locale) ?? {};
      const title = typeof content.title === "string" && content.title !== "" ? content.title : entry.title;
      return {
        kind: "entry",
        refId: entry.id,
        locale,
        status: entry.status,
        title,
        slug: entry.slug,
        body: cut([entry.category ?? "", plainText(fields, content)].filter((one) => one !== "").join("\n")),
        parentId: collection.id,
      };
    }),
  };
}

function coverRef(cover: string | null, owner: Owner): AssetRef[] {
  return cover === null
    ? []
    : [{ targetType: "image", targetId: cover, ...owner, locale: "", path: "cover" }];
}

/** A published document, or its removal: what the public site uses. */
export function projectPublished(
  root: { readonly type: "page" | "entry"; readonly id: string },
  document: PublishedDocument | null,
  templates: ReadonlyMap<string, Template>,
  collections: ReadonlyMap<string, Collection>,
): Projection {
  const cleared: Projection = { ...NO_PROJECTION, clearRoots: [{ ...root, state: "published" }] };
  if (document === null) return cleared;
  const owner = {
    ownerType: root.type,
    ownerId: root.id,
    rootType: root.type,
    rootId: root.id,
    state: "published",
  } as const;
  if (document.type === "entry") {
    const fields = [...ENTRY_FIELDS, ...(collections.get(document.collection)?.fields ?? [])];
    return {
      ...cleared,
      refs: [...coverRef(document.cover, owner), ...refsIn(fields, document.content, owner)],
    };
  }
  const sections = document.sections.flatMap((one) =>
    refsIn(fieldsOf(one, templates), one.content, { ...owner, ownerType: "section", ownerId: one.id }),
  );
  return { ...cleared, refs: [...refsIn(META_FIELDS, document.meta, owner), ...sections] };
}

/** How a template or a collection is found: by its name, and by what its fields are called. */
const describedDocument = (
  kind: "template" | "collection",
  {
    id,
    name,
    slug,
    description,
    fields,
  }: Pick<Collection, "id" | "name" | "slug" | "description" | "fields">,
  locale: string,
): SearchDocument => ({
  kind,
  refId: id,
  locale,
  status: "published",
  title: name,
  slug,
  parentId: null,
  body: `${description}\n${fields.map((one) => one.label).join(", ")}`,
});
export const collectionDocument = (collection: Omit<Collection, "updatedAt" | "deletedAt">, locale: string) =>
  describedDocument("collection", collection, locale);
export const templateDocument = (template: Template, locale: string) =>
  describedDocument("template", { ...template, id: template.key, slug: "" }, locale);

/** Nav items that changed: each uses its target at once. A removed one uses nothing. */
export function projectNav(items: readonly StoredNavItem[]): Projection {
  const live = items.filter((one) => one.deletedAt === null);
  return {
    ...NO_PROJECTION,
    clearOwners: items.map((one) => ({ type: "nav_item", id: one.id, state: "live" })),
    refs: live.flatMap((item): AssetRef[] => {
      const target: NavTarget = item.target;
      if (target.type === "url" || target.type === "none") return [];
      const owner = {
        ownerType: "nav_item",
        ownerId: item.id,
        rootType: "nav_item",
        rootId: item.id,
        state: "live",
      } as const;
      return [{ targetType: target.type, targetId: target.id, ...owner, locale: "", path: "target" }];
    }),
  };
}

/** A setting: images anywhere in its value, and the page in `home`. */
export function projectSetting(setting: Setting, environmentId: string): Projection {
  const id = `${environmentId}/${setting.key}`;
  const owner = {
    ownerType: "setting",
    ownerId: id,
    rootType: "setting",
    rootId: id,
    state: "live",
  } as const;
  const refs = Object.entries(setting.value).flatMap(([path, value]): AssetRef[] => {
    if (setting.key === "home" && path === "page" && typeof value === "string") {
      return [{ targetType: "page", targetId: value, ...owner, locale: "", path }];
    }
    const image =
      isObject(value) && typeof value.image === "string"
        ? value.image
        : typeof value === "string"
          ? value
          : "";
    return image.startsWith("im_")
      ? [{ targetType: "image", targetId: image, ...owner, locale: "", path }]
      : [];
  });
  return { ...NO_PROJECTION, clearOwners: [{ type: "setting", id, state: "live" }], refs };
}
