import type { CmsServices } from "../model/types.ts";
import type { Inbound } from "../storage/load.ts";
import { loadKnownImages, type KnownImage } from "../storage/images.ts";
import { resolveTargets } from "../edit/refs.ts";

/** Where images are used, as tools answer it and as a person reads it. */

/** Live images by id, each once. Refuses `not_found` with the nearest. */
export async function pickImages(
  services: CmsServices,
  refs: readonly string[],
  at: string,
): Promise<KnownImage[]> {
  const each = await pickEach(
    services,
    refs.map((ref) => ({ ref, at })),
  );
  return [...new Set(each)];
}

/** The live image of each of these ids, in their order. Refuses `not_found` at its field, with the nearest. */
export async function pickEach(
  services: CmsServices,
  wanted: readonly { readonly ref: string; readonly at: string }[],
): Promise<KnownImage[]> {
  const idOf = await resolveTargets(
    services,
    wanted.map((one) => ({ type: "image" as const, ...one })),
  );
  const ids = wanted.map(({ ref }) => idOf("image", ref));
  const known = await loadKnownImages(services, [...new Set(ids)]);
  return ids.flatMap((id) => known.find((one) => one.image.id === id) ?? []);
}

export function usageOf(use: Inbound) {
  // A setting is stored under `environment/key`; its key is its name.
  const key = use.ownerType === "setting" ? use.ownerId.slice(use.ownerId.indexOf("/") + 1) : null;
  return {
    ownerType: use.ownerType,
    ownerId: key ?? use.ownerId,
    ownerName: key === null ? use.rootName : `the setting ${key}`,
    field: use.path,
    locale: use.locale,
    state: use.state,
    image: use.targetId,
  };
}

const STATES = { draft: "draft", published: "public", live: "public at once" } as const;

/** `“About”, image of sc_1 (draft, en)` */
export function usageLine(use: Inbound): string {
  const { ownerName, ownerType, ownerId, field, locale } = usageOf(use);
  const where = ownerType === "setting" ? ownerName : `“${ownerName}”`;
  const part = ownerType === "section" ? ` of ${ownerId}` : "";
  return `${where}, ${field}${part} (${STATES[use.state]}${locale === "" ? "" : `, ${locale}`})`;
}
