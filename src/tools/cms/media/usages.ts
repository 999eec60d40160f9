import type { CmsServices } from "../model/types.ts";
import type { Inbound } from "../storage/load.ts";
import { loadKnownImages, type KnownImage } from "../storage/images.ts";
import { resolveTargets } from "../edit/refs.ts";

/** Where images are used, as tools answer it and as a person reads it. */

/** Live images by id. Refuses `not_found` with the nearest. */
export async function pickImages(
  services: CmsServices,
  refs: readonly string[],
  at: string,
): Promise<KnownImage[]> {
  const ids = await resolveTargets(
    services,
    refs.map((ref) => ({ type: "image" as const, ref, at })),
  );
  return loadKnownImages(services, [...new Set(refs.map((ref) => ids("image", ref)))]);
}

export function usageOf(use: Inbound) {
  // A setting is kept under `environment/key`; its key is its name.
  const key = use.ownerType === "setting" ? use.ownerId.slice(use.ownerId.indexOf("/") + 1) : null;
  return {
    ownerType: use.ownerType,
    ownerId: key ?? use.ownerId,
    ownerName: key === null ? use.rootName : `the setting ${key}`,
    ...{ field: use.path, locale: use.locale, state: use.state, image: use.targetId },
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
