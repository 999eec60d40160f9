import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import { isObject, type Json } from "../../../cairn/core/log/json.ts";
import { META_FIELDS } from "../model/validate.ts";
import type { ByLocale, Content, Field } from "../model/document.ts";
import { siteRoot } from "../model/environment.ts";
import { storedContent, type IdOf } from "../model/links.ts";
import type { Template } from "../model/types.ts";
import type { SiteRecord } from "./records.ts";

/**
 * IDs are unique in a deployment, and a file may be imported where it came from. So imported IDs get a suffix with
 * the mark of their environment, and exported ones lose it: a file has the same IDs in every deployment.
 */

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const MARK_LETTERS = 8;

/** `_` and 8 letters (40 bits) of the hash of the environment's id. */
export function markOf(environment: string): string {
  let bits = BigInt(`0x${sha256Hex(`mark of ${environment}`).slice(0, 10)}`);
  let letters = "";
  for (let i = 0; i < MARK_LETTERS; i++) {
    letters = (BASE32[Number(bits & 31n)] ?? "") + letters;
    bits >>= 5n;
  }
  return `_${letters}`;
}

/** A text of the environment in its file form. The mark is no word, so it appears in IDs only. */
export const withoutMarks = (text: string, environment: string): string =>
  text.replaceAll(markOf(environment), "");

/** A path of the public site as a file has it: below `/site/`, whatever environment it is of. */
export const portablePath = (path: string, environment: string): string =>
  path.startsWith(siteRoot(environment)) ? `/site/${path.slice(siteRoot(environment).length)}` : path;

/** Field definitions: those of templates, and of the collections of the file. */
export interface Shapes {
  readonly templates: ReadonlyMap<string, Pick<Template, "fields">>;
  /** by the id that it has in the file */
  readonly collections: ReadonlyMap<string, readonly Field[]>;
}

/** Something in a file that the site cannot have. */
export class Damaged extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Damaged";
  }
}

/** A record of a file as one of the environment. Throws Damaged for one that names a template or collection that is not there. */
export function marked<Type extends SiteRecord>(record: Type, environment: string, shapes: Shapes): Type;
export function marked(record: SiteRecord, environment: string, shapes: Shapes): SiteRecord {
  const mark = markOf(environment);
  const own = (id: string): string => id + mark;
  const ownOrNull = (id: string | null): string | null => (id === null ? null : own(id));
  const idOf: IdOf = (_, ref) => own(ref);
  const contents = (fields: readonly Field[], given: ByLocale<Content>): ByLocale<Content> =>
    Object.fromEntries(
      Object.entries(given).map(([locale, one]) => [locale, storedContent(fields, one, idOf)]),
    );
  const ofTemplate = (key: string): readonly Field[] => {
    const template = shapes.templates.get(key);
    if (template === undefined) throw new Damaged(`This deployment has no section template “${key}”.`);
    return template.fields;
  };
  const ofCollection = (id: string): readonly Field[] => {
    const fields = shapes.collections.get(id);
    if (fields === undefined) throw new Damaged(`The file has no collection ${id}.`);
    return fields;
  };

  switch (record.type) {
    case "locale":
      return record;
    case "setting":
      return { ...record, setting: { ...record.setting, value: settingValue(record.setting, own) } };
    case "collection":
      return { ...record, collection: { ...record.collection, id: own(record.collection.id) } };
    case "image":
      return { ...record, image: { ...record.image, id: own(record.image.id) } };
    case "page": {
      const { page, sections } = record;
      return {
        type: "page",
        page: { ...page, id: own(page.id), meta: contents(META_FIELDS, page.meta) },
        sections: sections.map((one) => ({
          ...one,
          id: own(one.id),
          pageId: own(one.pageId),
          content: contents(ofTemplate(one.template), one.content),
        })),
      };
    }
    case "entry": {
      const { entry } = record;
      return {
        type: "entry",
        entry: {
          ...entry,
          id: own(entry.id),
          collectionId: own(entry.collectionId),
          cover: ownOrNull(entry.cover),
          content: contents(ofCollection(entry.collectionId), entry.content),
        },
      };
    }
    case "navigation": {
      const { item } = record;
      const target = "id" in item.target ? { ...item.target, id: own(item.target.id) } : item.target;
      return { ...record, item: { ...item, id: own(item.id), parentId: ownOrNull(item.parentId), target } };
    }
    case "redirect": {
      const { redirect } = record;
      const fromPath = siteRoot(environment) + redirect.fromPath.slice("/site/".length);
      return { ...record, redirect: { ...redirect, fromPath, targetId: own(redirect.targetId) } };
    }
    case "published": {
      const { published } = record;
      const { document } = published;
      const own_ = { ...published, ownerId: own(published.ownerId) };
      if (document.type === "entry") {
        const fields = ofCollection(document.collection);
        return {
          type: "published",
          published: {
            ...own_,
            document: {
              ...document,
              id: own(document.id),
              collection: own(document.collection),
              cover: ownOrNull(document.cover),
              content: contents(fields, document.content),
            },
          },
        };
      }
      return {
        type: "published",
        published: {
          ...own_,
          document: {
            ...document,
            id: own(document.id),
            meta: contents(META_FIELDS, document.meta),
            sections: document.sections.map((one) => ({
              ...one,
              id: own(one.id),
              content: contents(ofTemplate(one.template), one.content),
            })),
          },
        },
      };
    }
  }
}

/** The page of `home`, and images at any position: an ID, or an object with one. */
function settingValue(
  { key, value }: { readonly key: string; readonly value: Content },
  own: (id: string) => string,
): Content {
  const one = (path: string, given: Json): Json => {
    if (typeof given === "string")
      return (key === "home" && path === "page") || given.startsWith("im_") ? own(given) : given;
    return isObject(given) && typeof given.image === "string" ? { ...given, image: own(given.image) } : given;
  };
  return Object.fromEntries(Object.entries(value).map(([path, given]) => [path, one(path, given)]));
}
