import { isDeepStrictEqual } from "node:util";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import type { Rule } from "../scripts/conversation.ts";

/** Invariants of the values that an object's memory caches next to the entries. */
export const OF_WHAT_IS_KEPT: Readonly<Record<string, Rule>> = {
  "what memory keeps is what stands on the disk": ({ platform, state }) => {
    const { store, disk, outbox, scheduleStore } = platform;
    // Another life of the object, which has read nothing yet.
    const fresh = new SqlStore(disk);
    const least = (query: string): unknown => Object.values(disk.exec(query)[0] ?? {})[0] ?? null;
    return isDeepStrictEqual(
      [
        store.loadState(),
        store.loadMeta(),
        store.entriesBetween(1, state.head).map((entry) => JSON.stringify(entry)),
        outbox.due(),
        scheduleStore.due(),
      ],
      [
        fresh.loadState(),
        fresh.loadMeta(),
        fresh.entriesBetween(1, state.head).map((entry) => JSON.stringify(entry)),
        least("SELECT min(due) AS least FROM (SELECT due FROM outbox UNION ALL SELECT due FROM held)"),
        least("SELECT min(next_at) AS least FROM schedules"),
      ],
    );
  },
};
