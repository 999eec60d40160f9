import { sha256Hex } from "../../../core/log/digest.ts";
import type { JsonObject } from "../../../core/log/json.ts";
import type { Collection, SettingKey, Template } from "../model/types.ts";
import type { SeedPage } from "./content.ts";
import type { SeedEntry } from "./entries.ts";
import type { SeedImage } from "./images.ts";
import { SAMPLE_SHA256 } from "./sample-digest.ts";
import type { SeedNavItem } from "./site.ts";

/** The sample site as one value. It is read once in the life of a deployment, so it is a static file and no part of the worker. */
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
  readonly blog: Omit<Collection, "updatedAt">;
  readonly images: readonly SeedImage[];
  readonly pages: readonly SeedPage[];
  readonly entries: readonly SeedEntry[];
  readonly nav: readonly SeedNavItem[];
  readonly settings: Readonly<Record<Exclude<SettingKey, "social">, JsonObject>>;
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
