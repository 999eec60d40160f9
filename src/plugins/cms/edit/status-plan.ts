import { checkEntry, checkPage } from "../checks/checks.ts";
import { loadCheckFacts } from "../checks/facts.ts";
import { type Schemas } from "../model/types.ts";
import type { Change, Check, Checks, CmsServices, Environment, PublishedRow } from "../model/types.ts";
import type { Target } from "./status-targets.ts";

/** Shared by publishing now and publishing at a scheduled time. */

interface Surroundings {
  readonly services: CmsServices;
  readonly environment: Environment;
  readonly schemas: Schemas;
}

/** The checks of what would become public. `becoming` are targets that become public with it. */
export async function checksOf(
  { working }: Target,
  { services, environment, schemas }: Surroundings,
  becoming: ReadonlySet<string> = new Set(),
): Promise<Checks> {
  const facts = await loadCheckFacts(services, environment, working, schemas, becoming);
  return working.type === "page" ? checkPage(working, facts) : checkEntry(working, facts);
}

export async function blockersOf(target: Target, around: Surroundings): Promise<readonly Check[]> {
  return (await checksOf(target, around)).blockers;
}

/** Each target with its new status, and the document that visitors see of it from now on. */
export function publicationChanges(
  targets: readonly Target[],
  published: ReadonlyMap<string, PublishedRow>,
  at: number,
): Change[] {
  return targets.flatMap(({ type, id, version, next }): Change[] => {
    if (next === null) return [];
    const before = published.get(id) ?? null;
    const after: PublishedRow | null =
      next.document === null
        ? null
        : { ownerType: type, ownerId: id, version: version + 1, publishedAt: at, document: next.document };
    return before === null && after === null
      ? [next.change]
      : [next.change, { type: "published", before, after }];
  });
}
