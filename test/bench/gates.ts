import { WORKER_KIB_MAX } from "../build/worker-weight.ts";
import { CONTENDERS, type Name } from "./contenders.ts";
import type { Row } from "./measure.ts";
import { median, percentile } from "./numbers.ts";

/**
 * The targets of Cairn, by measure and row. The bench, the pages and `npm run check` all judge a measured row here, so a page
 * cannot say "met" of a figure above its target.
 */

/** A target and its verdict. */
export interface Target {
  readonly says: string;
  readonly met: boolean;
  /** Another check fails above it, so a figure above it is outdated or wrong, not a target that was missed. */
  readonly enforced: boolean;
}

type Gate = (cells: Row["cells"], rows: readonly Row[]) => Omit<Target, "enforced"> & { enforced?: true };

/** a button's card at the vendor, at the 95th percentile */
export const CARD_MS_P95 = 2_000;
const ALL_FINISH = "all finish";

/** Billed rows written, at most. docs/deploy.md computes the cost of a run from these. */
export const ROWS_MAX = {
  "3 model calls × 40 deltas, 2 tool calls": 36,
  "1 answer of 400 deltas": 21,
  "10 model calls, 18 tool calls": 130,
  "one more model call with one tool call": 9,
} as const;

const GATES: Readonly<Record<string, Readonly<Record<string, Gate>>>> = {
  rows: Object.fromEntries(Object.entries(ROWS_MAX).map(([what, most]) => [what, atMost(most)])),
  reads: { "*": constant },
  overhead: {
    "time to first step, p50": atMost(5, "ms"),
    // a loop in memory has no alarm to wait for
    "step to step, p50": behind("ai-chat", 1, "ms"),
    "step to step, p99": atMost(8, "ms"),
    "the same against the 11th to 60th": atMost(1.2, "×"),
  },
  // what a person does not see
  stream: { "a delta, p95": atMost(100, "ms") },
  recovery: {
    "without a client, p95": atMost(2_500, "ms"),
    // 100 until the client connects, 300 from then on
    "with a client that connects, p95": atMost(400, "ms"),
  },
  bundle: {
    "minified, gzip": (cells) => ({ ...atMost(WORKER_KIB_MAX, "KiB")(cells, []), enforced: true }),
    "start-up, CPU": atMost(45, "ms"),
  },
  wake: { "until the model is asked": atMost(100, "ms"), heap: atMost(32, "MiB") },
  cpu: {
    "one more delta": timesOf("coalesced", 1.3),
    "one more step": timesOf("coalesced", 0.8),
  },
  crowd: {
    "10 sessions, until the last has ended": allFinish,
    "100 sessions, until the last has ended": timesOf("alarms", 1.4),
    "1,000 sessions, until the last has ended": timesOf("alarms", 2.8),
    "1,000 sessions, memory": timesOf("alarms", 2),
  },
  scale: { "*": p95AtMost(50) },
  channels: { "an approval is asked, until its card is taken": p95AtMost(CARD_MS_P95) },
};

/** The verdict on a row of a measure; null where the row has no target. `rows`: all of the measure, in their order. */
export function judgeRow(id: string, row: Row, rows: readonly Row[]): Target | null {
  const gates = GATES[id];
  // The number of rounds stands behind some names.
  const gate = gates?.[row.what.replace(/ \(\d+\)$/, "")] ?? gates?.["*"];
  return gate === undefined ? null : { enforced: false, ...gate(row.cells, rows) };
}

/** The median of a contender; null where it has no figures. */
function medianOf(cells: Row["cells"], name: Name): number | null {
  const cell = cells[name];
  return typeof cell === "object" ? median(cell) : null;
}

function atMost(most: number, unit = ""): Gate {
  return (cells) => {
    const own = medianOf(cells, "cairn");
    return { says: `≤ ${most.toLocaleString("en")} ${unit}`.trim(), met: own !== null && own <= most };
  };
}

function behind(peer: Name, most: number, unit: string): Gate {
  return (cells) => {
    const [own, other] = [medianOf(cells, "cairn"), medianOf(cells, peer)];
    const met = own !== null && other !== null && own <= other + most;
    return { says: `≤ ${CONTENDERS[peer].title} + ${most} ${unit}`, met };
  };
}

function timesOf(floor: "alarms" | "coalesced", most: number): Gate {
  return (cells) => {
    const [own, other] = [medianOf(cells, "cairn"), medianOf(cells, floor)];
    const says = `≤ ${most} × ${CONTENDERS[floor].title}`;
    if (own === null || other === null) return { says, met: false };
    return { says: `${says} (${(own / other).toFixed(2)} ×)`, met: own / other <= most };
  };
}

function p95AtMost(most: number): Gate {
  return ({ cairn }) => {
    const met = typeof cairn === "object" && percentile(cairn, 0.95) <= most;
    return { says: `p95 ≤ ${most.toLocaleString("en")} ms`, met };
  };
}

function allFinish(cells: Row["cells"]): Omit<Target, "enforced"> {
  return { says: ALL_FINISH, met: typeof cells.cairn === "object" };
}

function constant(cells: Row["cells"], rows: readonly Row[]): Omit<Target, "enforced"> {
  const own = medianOf(cells, "cairn");
  const first = rows[0] === undefined ? null : medianOf(rows[0].cells, "cairn");
  return { says: "constant", met: own !== null && first !== null && own <= first };
}
