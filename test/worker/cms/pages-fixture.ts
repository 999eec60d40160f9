import { resolvePage } from "../../../src/plugins/cms/edit/refs.ts";
import type { PageAggregate } from "../../../src/plugins/cms/model/types.ts";
import { services } from "./fixture.ts";

/** A page of the working copy, as stored. */
export function loadPage(ref: string): Promise<PageAggregate> {
  return resolvePage(services, ref);
}
