import type { Collection, Environment, Template } from "./types.ts";

/** A finding of a publish check (cms 9). */
export interface Check {
  readonly code: string;
  readonly owner: { readonly type: string; readonly id: string; readonly name: string };
  /** path of the field, such as `items[0].icon` */
  readonly field?: string;
  readonly message: string;
  readonly fix: string;
}

/** What the checks need to know beside the document. Loaded by `loadCheckFacts`. */
export interface CheckFacts {
  readonly environment: Environment;
  /** by key; absent is `unknown_template` */
  readonly templates: ReadonlyMap<string, Template>;
  /** by id; fields of the entry's collection */
  readonly collections: ReadonlyMap<string, Collection>;
  /** live images by id; absent is gone */
  readonly images: ReadonlyMap<string, CheckImage>;
  /** pages, entries and collections linked to, by `type:id`; absent is gone */
  readonly targets: ReadonlyMap<string, CheckTarget>;
  /** owners with at least one nav item or inbound link, by `type:id` */
  readonly linked: ReadonlySet<string>;
  /** names and meta titles of other public pages and entries, lower case */
  readonly otherTitles: ReadonlySet<string>;
}

export interface CheckImage {
  readonly id: string;
  readonly filename: string;
  readonly alt: string;
  readonly altSource: "none" | "filename" | "model" | "stock" | "human";
  readonly byteSize: number;
  readonly variants: number;
}

export interface CheckTarget {
  readonly type: "page" | "entry" | "collection";
  readonly id: string;
  readonly name: string;
  /** a collection is always public */
  readonly public: boolean;
}

export interface Checks {
  readonly blockers: readonly Check[];
  readonly warnings: readonly Check[];
}
