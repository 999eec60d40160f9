import * as z from "zod";
import { refInput } from "../edit/plan.ts";
import { resolveEntry, resolvePage } from "../edit/refs.ts";
import type { CmsServices } from "../model/types.ts";
import type { Root } from "./states.ts";

/** Input that names a page or an entry. */
export const rootInput = z.strictObject({
  type: z.enum(["page", "entry"]),
  ref: refInput.describe("id or slug; collection/slug for entries"),
});

/** A live page or entry by its reference. Refuses `not_found` with the nearest. */
export async function resolveRoot(
  services: CmsServices,
  { type, ref }: z.output<typeof rootInput>,
): Promise<Root> {
  if (type === "page") {
    const { page } = await resolvePage(services, ref, "target.ref");
    return { type, id: page.id, name: page.name };
  }
  const { id, title } = await resolveEntry(services, ref, "target.ref");
  return { type, id, name: title };
}
