import { shortened } from "../text/cut.ts";
import {
  COMPACT_SHARE,
  COMPACT_STEPS,
  COMPACT_STEPS_MIN,
  COMPACT_STEPS_MORE,
  FAILED_STEPS_VERBATIM,
  OBSERVATION_CHARS_LESS,
  RECAP_CHARS_MAX,
  STEPS_VERBATIM_AT_LEAST,
  STEPS_VERBATIM_FIRST,
  STEPS_VERBATIM_LAST,
  STEPS_VERBATIM_LAST_LESS,
  LISTED_CALLS,
  LISTED_CHARS_MAX,
  SUMMARY_CHARS_MAX,
  SUMMARY_ENTITIES,
  SUMMARY_FAILURE_CHARS,
  SUMMARY_TEXT_CHARS,
  WHOLE_STEPS_VERBATIM,
} from "../limits.ts";
import type { BodyOf, Entry, CallStatus, ProposedCall } from "../log/entry.ts";
import type { EntityRef } from "../log/tool.ts";
import { QUOTES_THOUGHT } from "../text/thoughts.ts";
import { isPlainWord, quoteLine } from "../text/untrusted.ts";
import { SOURCES_HEAD, sourcesOf } from "./read-sources.ts";
import { type TranscriptPolicy, lastCompacted } from "./transcript.ts";

/** When the middle of a run is summed up, and what of it stays as it was. Entries are those of the run. */

/** A request as it would be sent now. */
interface RequestSize {
  readonly tokens: number;
  /** maximum tokens of a request: the window without the output, or a preset's limit */
  readonly cap: number;
}

/** True if a compaction precedes the next model call. An overflow reported by the provider is handled elsewhere. */
export function compactionDue(
  entries: readonly Entry[],
  policy: TranscriptPolicy,
  size: RequestSize,
): boolean {
  const last = lastCompacted(entries);
  const fresh = stepsOf(entries).filter((step) => step.from > (last?.seq ?? 0)).length;
  if (policy === "none") return size.tokens > size.cap;
  if (policy === "compact" && (last === null ? fresh > COMPACT_STEPS : fresh >= COMPACT_STEPS_MORE))
    return true;
  if (size.tokens <= size.cap * COMPACT_SHARE) return false;
  return last === null || size.tokens > size.cap || fresh >= COMPACT_STEPS_MIN;
}

interface Compaction {
  readonly body: BodyOf<"compacted">;
  /** whether the request is within the target now; where not, this is the smallest there is */
  readonly fits: boolean;
}

/**
 * Returns the entry that compacts a run to at most `target` tokens. In this order: the middle is summarized,
 * observations are shortened, three last steps stay instead of five, and, for a request above `cap`, one step alone.
 * Null if nothing would change. `measure` returns the tokens of the next request with this entry, or without one.
 */
export function compaction(
  entries: readonly Entry[],
  target: number,
  measure: (body: BodyOf<"compacted"> | null) => number,
  listed = false,
  cap = Infinity,
): Compaction | null {
  const before = measure(null);
  let smallest: Compaction | null = null;
  for (const rung of RUNGS) {
    // The last rung drops otherwise protected steps, only for a request that could not be sent.
    if (rung.first === 0 && (smallest?.body.after ?? before) <= cap) break;
    const plain = compactedBody(entries, rung, listed);
    if (plain === null) continue;
    const after = measure({ ...plain, before, after: before });
    if (smallest === null || after < smallest.body.after)
      smallest = { body: { ...plain, before, after }, fits: after <= target };
    if (after <= target) break;
  }
  return smallest;
}

interface Rung {
  readonly first: number;
  readonly last: number;
  readonly observationChars: number | null;
}

const RUNGS: readonly Rung[] = [
  { first: STEPS_VERBATIM_FIRST, last: STEPS_VERBATIM_LAST, observationChars: null },
  { first: STEPS_VERBATIM_FIRST, last: STEPS_VERBATIM_LAST, observationChars: OBSERVATION_CHARS_LESS },
  { first: STEPS_VERBATIM_FIRST, last: STEPS_VERBATIM_LAST_LESS, observationChars: OBSERVATION_CHARS_LESS },
  { first: 0, last: STEPS_VERBATIM_AT_LEAST, observationChars: OBSERVATION_CHARS_LESS },
];

function compactedBody(
  entries: readonly Entry[],
  { first: kept, last, observationChars }: Rung,
  listed: boolean,
): Omit<BodyOf<"compacted">, "before" | "after"> | null {
  const previous = lastCompacted(entries);
  const old = previous === null || previous.body.to === 0 ? null : previous.body;
  const steps = stepsOf(entries);
  const first = steps[kept];
  const next = steps[steps.length - last];
  const isMiddle = first !== undefined && next !== undefined && next.from > first.from;
  const from = Math.min(old?.from ?? Infinity, isMiddle ? first.from : (old?.from ?? 0));
  const to = Math.max(old?.to ?? 0, isMiddle ? next.from - 1 : 0);
  const less = observationChars ?? previous?.body.observationChars ?? null;
  const isNew =
    to > (old?.to ?? 0) ||
    from < (old?.from ?? 0) ||
    (less !== null && entries.some((entry) => isCutBy(entry, less, previous)));
  if (!isNew) return null;
  const covered = entries.filter((entry) => entry.seq >= from && entry.seq <= to);
  const added = covered.filter(({ seq }) => seq > (old?.to ?? 0) || seq < (old?.from ?? 0));
  const calls = to === 0 ? "" : summarise(old?.summary ?? null, added, listed);
  const sources = sourcesOf(covered);
  const summary = sources === null ? calls : `${calls}\n${sources}`;
  return {
    from,
    to,
    summary,
    verbatim: verbatimSeqs(entries, covered, kept > 0),
    observationChars: less,
    method: "mechanical",
  };
}

/** An observation that would be shown shorter than it is now. */
function isCutBy(entry: Entry, max: number, previous: Entry<"compacted"> | null): boolean {
  if (entry.kind !== "call_settled" || entry.body.observation.length <= max) return false;
  if (entry.body.whole === true) return false;
  const now = previous !== null && entry.seq < previous.seq ? previous.body.observationChars : null;
  return now === null || now > max;
}

interface StepEntries {
  readonly step: string;
  /** seq of its first entry */
  readonly from: number;
}

/** The steps of the run that have begun, in order. */
function stepsOf(entries: readonly Entry[]): readonly StepEntries[] {
  return entries.flatMap((entry) =>
    entry.kind === "step_started" && entry.step !== null ? [{ step: entry.step, from: entry.seq }] : [],
  );
}

/**
 * Returns the entries of a summarized middle that stay verbatim: messages of people, arguments they changed, unresolved
 * failures, and results that stay whole, such as skills.
 */
function verbatimSeqs(
  entries: readonly Entry[],
  covered: readonly Entry[],
  failures: boolean,
): readonly number[] {
  // A person's answer is in the result of the step that asked.
  const answered = covered.flatMap((entry) =>
    entry.kind === "human_answered" && entry.step !== null ? [entry.step] : [],
  );
  const whole = new Set([
    ...(failures ? failedSteps(entries, covered) : []),
    ...answered,
    ...wholeSteps(covered),
  ]);
  return covered
    .filter((entry) => {
      if (entry.kind === "user_message" || entry.kind === "human_answered") return true;
      if (entry.step === null || !whole.has(entry.step)) return isEdit(entry);
      return entry.kind === "model_replied" || entry.kind === "call_settled" || isEdit(entry);
    })
    .map((entry) => entry.seq);
}

const isEdit = (entry: Entry): boolean =>
  (entry.kind === "approval_decided" || entry.kind === "approval_voted") && entry.body.decision === "edit";

/** Returns the newest steps with results that stay whole, as many as fit a prompt. */
function wholeSteps(covered: readonly Entry[]): readonly string[] {
  const read = covered.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.whole === true && entry.step !== null ? [entry.step] : [],
  );
  return [...new Set(read)].slice(-WHOLE_STEPS_VERBATIM);
}

/** The newest failed step of each tool that has not succeeded since, at most three of them. */
function failedSteps(entries: readonly Entry[], covered: readonly Entry[]): ReadonlySet<string> {
  const open = new Map<string, { step: string | null; seq: number }>();
  for (const entry of entries) {
    if (entry.kind !== "call_settled") continue;
    const { tool, status } = entry.body;
    if (status === "ok") open.delete(tool);
    else if (status === "error" || status === "unknown") open.set(tool, { step: entry.step, seq: entry.seq });
  }
  const inside = new Set(covered.map((entry) => entry.seq));
  const steps = [...open.values()]
    .filter(({ seq }) => inside.has(seq))
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ step }) => (step === null ? [] : [step]));
  return new Set([...new Set(steps)].slice(-FAILED_STEPS_VERBATIM));
}

/** Requests to continue, to summarize or to report the status, in a few words. */
const RECAP =
  /\b(?:continue|resume|go on|carry on|recap|summar\w+|status|progress|where (?:are|were) (?:we|you)|weiter|fortsetzen|zusammenfass\w+|stand|continuez?|reprends|reprenez|résum\w+|où en|continúa|continua|sigue|resum\w+|estado)\b/iu;

/** True if the request is to continue or to report the status: then the last calls are listed one by one. */
export function isRecap(entries: readonly Entry[]): boolean {
  const request = entries
    .flatMap((entry) => (entry.kind === "user_message" ? entry.body.parts : []))
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n");
  return request.length <= RECAP_CHARS_MAX && RECAP.test(request);
}

/** The mechanical summary of a run's middle: what was called, by runs of one tool, and what came of it. */

const HEAD =
  "Earlier steps of this run, summed up. A result is read again with read_observation and the name of its call.";
const LISTED_HEAD = "The last calls of it, one by one:";

interface Done {
  readonly call: string;
  readonly tool: string;
  readonly input: string;
  readonly status: CallStatus;
  readonly failure: string | null;
  readonly touched: readonly string[];
}

type Item = { readonly of: "call"; readonly call: Done } | { readonly of: "words"; readonly line: string };

/**
 * Summarizes: the previous summary, then a line for each series of calls of one tool in `entries`, each text that
 * accompanied calls and each decision. Drops the oldest lines above the size limit, and states how many. `listed` adds
 * the last 12 calls one by one, for a request to continue or to report the status.
 */
function summarise(before: string | null, entries: readonly Entry[], listed: boolean): string {
  const items = itemsOf(entries);
  const { left, lines: known } = linesOf(before);
  const lines = [...known, ...grouped(items)];
  const list = listed ? listOf(items) : [];
  const space = SUMMARY_CHARS_MAX - HEAD.length - list.join("\n").length - 60;
  let length = lines.reduce((total, line) => total + line.length + 1, 0);
  let cut = 0;
  while (cut < lines.length && length > space) {
    length -= (lines[cut]?.length ?? 0) + 1;
    cut++;
  }
  const out = left + cut;
  return [HEAD, ...(out === 0 ? [] : [leftOut(out)]), ...lines.slice(cut), ...list].join("\n");
}

const leftOut = (lines: number): string => `- (${lines} older lines left out)`;

/** The lines of an older summary, without its head, its lists of single calls and of sources, and its count of what it left out. */
function linesOf(before: string | null): { readonly left: number; readonly lines: readonly string[] } {
  if (before === null) return { left: 0, lines: [] };
  const all = before.split("\n");
  const end = all.findIndex((line) => line === LISTED_HEAD || line === SOURCES_HEAD);
  const lines = all.slice(all[0] === HEAD ? 1 : 0, end < 0 ? undefined : end);
  const left = /^- \((\d+) older lines left out\)$/.exec(lines[0] ?? "");
  return left === null ? { left: 0, lines } : { left: Number(left[1]), lines: lines.slice(1) };
}

function itemsOf(entries: readonly Entry[]): readonly Item[] {
  const proposed = new Map<string, ProposedCall>();
  for (const entry of entries) {
    if (entry.kind === "model_replied") for (const call of entry.body.calls) proposed.set(call.call, call);
  }
  return entries.flatMap((entry): Item[] => {
    switch (entry.kind) {
      case "model_replied": {
        const thought = entry.body.parts
          .map((part) => (part.type === "text" ? part.text : ""))
          .join("")
          .trim();
        return thought === ""
          ? []
          : [{ of: "words", line: `${QUOTES_THOUGHT}${short(thought, SUMMARY_TEXT_CHARS)}` }];
      }
      case "child_reported": {
        const { child, call, outcome, answer, observation } = entry.body;
        if (observation === undefined) return [];
        const excerpt = short(answer, SUMMARY_TEXT_CHARS);
        return [{ of: "words", line: `- ${call}: the run ${child} has ended (${outcome}): ${excerpt}` }];
      }
      case "approval_decided":
      case "approval_voted":
        return [{ of: "words", line: decisionLine(entry.body) }];
      case "call_settled": {
        const { call, tool, status, failure, changes = [] } = entry.body;
        const input = proposed.get(call)?.input ?? null;
        const done: Done = {
          call,
          tool,
          input: JSON.stringify(input),
          status,
          failure: failure === null ? null : failure.message,
          touched: changes.map(nameOf),
        };
        return [{ of: "call", call: done }];
      }
      default:
        return [];
    }
  });
}

function decisionLine(
  body: Pick<BodyOf<"approval_decided">, "actor" | "decision" | "call" | "reason">,
): string {
  const { actor, decision, call, reason } = body;
  const did = { approve: "approved", deny: "denied", edit: "changed and approved", expired: "let expire" }[
    decision
  ];
  return `- ${short(actor, SUMMARY_TEXT_CHARS)} ${did} ${call}${reason === null ? "" : `: ${short(reason, SUMMARY_TEXT_CHARS)}`}`;
}

/** Calls of one tool that follow one another make one line. */
function grouped(items: readonly Item[]): readonly string[] {
  const lines: string[] = [];
  let group: Done[] = [];
  const close = (): void => {
    if (group.length > 0) lines.push(groupLine(group));
    group = [];
  };
  for (const item of items) {
    if (item.of === "words") {
      close();
      lines.push(item.line);
      continue;
    }
    if (group[0] !== undefined && group[0].tool !== item.call.tool) close();
    group.push(item.call);
  }
  close();
  return lines;
}

/** Such as `- get_page x4 (3 ok, 1 error) r3s4c0..r3s7c0; touched page:p1 "Home"; last failure: "…"`. */
function groupLine(calls: readonly Done[]): string {
  const counts = new Map<CallStatus, number>();
  for (const { status } of calls) counts.set(status, (counts.get(status) ?? 0) + 1);
  const came = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
  const [first] = calls;
  const last = calls.at(-1);
  const names = calls.length === 1 ? (first?.call ?? "") : `${first?.call ?? ""}..${last?.call ?? ""}`;
  const touched = [...new Set(calls.flatMap((call) => call.touched))];
  const more = touched.length - SUMMARY_ENTITIES;
  const things = touched.slice(0, SUMMARY_ENTITIES).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const failure = calls.findLast((call) => call.failure !== null)?.failure ?? null;
  return [
    `- ${first?.tool ?? ""} x${calls.length} (${came}) ${names}`,
    ...(touched.length === 0 ? [] : [`touched ${things}`]),
    ...(failure === null ? [] : [`last failure: ${short(failure, SUMMARY_FAILURE_CHARS)}`]),
  ].join("; ");
}

function listOf(items: readonly Item[]): readonly string[] {
  const calls = items.flatMap((item) => (item.of === "call" ? [item.call] : [])).slice(-LISTED_CALLS);
  if (calls.length === 0) return [];
  const lines = calls.map(({ call, tool, input, status, failure }) =>
    [
      `- ${call} ${tool} ${status} ${short(input, 80)}`,
      ...(failure === null ? [] : [short(failure, SUMMARY_FAILURE_CHARS)]),
    ].join("; "),
  );
  while (lines.join("\n").length > LISTED_CHARS_MAX) lines.shift();
  return [LISTED_HEAD, ...lines];
}

/** An id as it is, unless it could be taken for something else. */
const shortWord = (word: string): string => (word.length <= 80 && isPlainWord(word) ? word : short(word, 80));

const nameOf = ({ type, id, name, op }: EntityRef): string =>
  `${op === "touch" ? "" : `${op}d `}${shortWord(`${type}:${id}`)} ${short(name, 40)}`;

/** Text from outside, quoted on one line, of at most so many characters. */
const short = (text: string, chars: number): string =>
  quoteLine(shortened(text.replace(/\s+/g, " ").trim(), chars));
