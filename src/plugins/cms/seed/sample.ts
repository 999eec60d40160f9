import { sha256Hex } from "../../../cairn/core/log/digest.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { Content } from "../model/document.ts";
import type { Collection, NavLocation, NavTarget, SettingKey, Template } from "../model/types.ts";
import { SAMPLE_SHA256 } from "./sample-digest.ts";

/**
 * The sample site as one value. It is read once in the life of a deployment, so it is a static file and not in the
 * worker.
 */
export interface Sample {
  readonly site: { readonly id: string; readonly name: string; readonly environment: string };
  readonly locales: readonly {
    readonly code: string;
    readonly name: string;
    readonly fallback: string | null;
    readonly isDefault: boolean;
  }[];
  readonly defaultLocale: string;
  readonly templates: readonly Template[];
  readonly blog: Omit<Collection, "updatedAt" | "deletedAt">;
  readonly images: readonly SeedImage[];
  readonly pages: readonly SeedPage[];
  readonly entries: readonly SeedEntry[];
  readonly nav: readonly SeedNavItem[];
  readonly settings: Readonly<Record<Exclude<SettingKey, "social">, JsonObject>>;
}

/** An image of the seed site. Its bytes are a static file of the deployment, so that the worker stays small. */
export interface SeedFile extends SeedBytes {
  readonly filename: string;
  readonly ext: string;
  readonly mediaType: string;
  readonly variants: readonly (SeedBytes & { readonly format: string })[];
}

export interface SeedBytes {
  /** path among the static files */
  readonly asset: string;
  /** of the bytes, 64 hex digits */
  readonly sha256: string;
  /** pixels */
  readonly width: number;
  readonly height: number;
  readonly byteSize: number;
}

export interface SeedImage {
  readonly id: string;
  readonly file: SeedFile;
  readonly alt: string;
  readonly caption: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly colors: readonly string[];
}

export interface SeedPage {
  readonly id: string;
  readonly kind: "page" | "layout";
  readonly slug: string;
  readonly name: string;
  readonly meta: Content;
  readonly sections: readonly SeedSection[];
}

export interface SeedSection {
  readonly id: string;
  readonly template: string;
  /** absent: the template's first */
  readonly variant?: string;
  readonly en: Content;
  readonly de?: Content;
}

export interface SeedEntry {
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly status: "draft" | "published";
  readonly category: "Guides" | "News";
  readonly author: string;
  readonly cover: string;
  readonly excerpt: string;
  readonly tags: readonly string[];
  readonly body: string;
  /** how long before the seed it was written, so that the list has an order */
  readonly daysOld: number;
}

export interface SeedNavItem {
  readonly id: string;
  readonly location: NavLocation;
  readonly label: string;
  readonly target: NavTarget;
  readonly children?: readonly SeedNavItem[];
}

export type Assets = Pick<Fetcher, "fetch">;

/** Path among the static files. */
export const SAMPLE_ASSET = "/seed/site.json";

/** A static file of the deployment. Throws when it is not there. */
export async function readAsset(assets: Assets, asset: string): Promise<Response> {
  const response = await assets.fetch(`https://assets.local${asset}`);
  if (!response.ok) throw new Error(`the static file ${asset} is missing (${response.status})`);
  return response;
}

/** The sample site. Throws when its file is missing, or is not the one that this worker was built with. */
export async function loadSample(assets: Assets): Promise<Sample> {
  const text = await (await readAsset(assets, SAMPLE_ASSET)).text();
  if (sha256Hex(text) !== SAMPLE_SHA256)
    throw new Error(`the static file ${SAMPLE_ASSET} is not the one that this worker was built with`);
  // Byte for byte what write.ts made of values of this type.
  return JSON.parse(text) as Sample;
}
