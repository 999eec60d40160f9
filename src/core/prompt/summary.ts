import type { BodyOf, CallStatus, Entry, ProposedCall } from "../log/entry.ts";
import { quoted } from "../state/memory.ts";
import type { EntityRef } from "../log/tool.ts";
import {
  LISTED_CALLS,
  LISTED_CHARS_MAX,
  SUMMARY_CHARS_MAX,
  SUMMARY_ENTITIES,
  SUMMARY_FAILURE_CHARS,
  SUMMARY_TEXT_CHARS,
} from "../guard-limits.ts";

/** The mechanical summary of a run's middle: what was called, by runs of one tool, and what came of it (guards 10.5). */

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
 * What came before, then a line for each run of one tool in `rows`, each thing said beside calls and each decision. Where it grows
 * too long, its oldest lines are left out, and it says how many. `listed` adds the last 12 calls one by one, for a request to
 * go on or to say how things stand.
 */
export function summarise(before: string | null, rows: readonly Entry[], listed: boolean): string {
  const items = itemsOf(rows);
  const { left, lines: known } = linesOf(before);
  const lines = [...known, ...grouped(items)];
  const list = listed ? listOf(items) : [];
  const room = SUMMARY_CHARS_MAX - HEAD.length - list.join("\n").length - 60;
  let length = lines.reduce((total, line) => total + line.length + 1, 0);
  let cut = 0;
  while (cut < lines.length && length > room) {
    length -= (lines[cut]?.length ?? 0) + 1;
    cut++;
  }
  const out = left + cut;
  return [HEAD, ...(out === 0 ? [] : [leftOut(out)]), ...lines.slice(cut), ...list].join("\n");
}

const leftOut = (lines: number): string => `- (${lines} older lines left out)`;

/** The lines of an older summary, without its head, its list of single calls and its count of what it left out. */
function linesOf(before: string | null): { readonly left: number; readonly lines: readonly string[] } {
  if (before === null) return { left: 0, lines: [] };
  const all = before.split("\n");
  const end = all.indexOf(LISTED_HEAD);
  const lines = all.slice(all[0] === HEAD ? 1 : 0, end < 0 ? undefined : end);
  const left = /^- \((\d+) older lines left out\)$/.exec(lines[0] ?? "");
  return left === null ? { left: 0, lines } : { left: Number(left[1]), lines: lines.slice(1) };
}

function itemsOf(rows: readonly Entry[]): readonly Item[] {
  const proposed = new Map<string, ProposedCall>();
  const touched = new Map<string, string[]>();
  for (const row of rows) {
    if (row.kind === "model_replied") for (const call of row.body.calls) proposed.set(call.call, call);
    if (row.kind === "memory_changed" && row.body.call !== null)
      touched.set(row.body.call, row.body.changes.map(nameOf));
  }
  return rows.flatMap((row): Item[] => {
    switch (row.kind) {
      case "model_replied": {
        const said = row.body.parts
          .map((part) => (part.type === "text" ? part.text : ""))
          .join("")
          .trim();
        return said === "" ? [] : [{ of: "words", line: `- said: ${short(said, SUMMARY_TEXT_CHARS)}` }];
      }
      case "approval_decided":
      case "approval_voted":
        return [{ of: "words", line: decisionLine(row.body) }];
      case "call_settled": {
        const { call, tool, status, failure } = row.body;
        const input = proposed.get(call)?.input ?? null;
        const done: Done = {
          call,
          tool,
          input: JSON.stringify(input),
          status,
          failure: failure === null ? null : failure.message,
          touched: touched.get(call) ?? [],
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
const plain = (word: string): string => (/^[^\s<>"]{1,80}$/u.test(word) ? word : short(word, 80));

const nameOf = ({ type, id, name, op }: EntityRef): string =>
  `${op === "touch" ? "" : `${op}d `}${plain(`${type}:${id}`)} ${short(name, 40)}`;

/** Text from outside, quoted on one line, of at most so many characters and never half of a pair. */
function short(text: string, chars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const cut = [...line.slice(0, chars + 1)];
  return quoted(line.length <= chars ? line : `${cut.slice(0, Math.max(0, cut.length - 2)).join("")}…`);
}
