import type { Event, EntityView } from "../../cairn/protocol/views.ts";

/** Seq of the newest entry that may have changed what the session has in mind; 0 where there is no entry. */
export function changeOfMemory(events: readonly Event[]): number {
  const changed = events.findLast(
    ({ kind, body }) =>
      kind === "memory_changed" ||
      kind === "session_cleared" ||
      (kind === "call_settled" && body.changes !== undefined),
  );
  return changed?.seq ?? events[0]?.seq ?? 0;
}

/** `r3s2` as `run 3, step 2`. */
export function stepText(step: string): string {
  const found = /^r(\d+)s(\d+)$/.exec(step);
  return found === null ? step : `run ${found[1]}, step ${found[2]}`;
}

/** Where it is on the site; empty where it is nowhere: ids are for tools. */
export const addressText = ({ fields: { slug } }: Pick<EntityView, "fields">): string =>
  typeof slug === "string" ? `/${slug}` : "";
