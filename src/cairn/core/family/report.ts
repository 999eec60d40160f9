import { fenceResult } from "../guards/check-result.ts";
import { renameMarks } from "../guards/review/citations.ts";
import type { ChildReport, ChildReported } from "../log/child.ts";
import { outcomeClass, type EntryDraft, type OutcomeClass } from "../log/entry.ts";
import { isObject, type Json } from "../log/json.ts";
import { stepName } from "../log/names.ts";
import type { EvidenceMark, FoundSources, PageMark, ReadPage, Sources } from "../log/receipt.ts";
import { failedResult, settleCall, type CallResult } from "../entries/settle.ts";
import { markOutput, NO_SHAPE } from "../state/call-digest.ts";
import type { OpenChild } from "../state/run/children.ts";
import { callsOf, isDeferred } from "../state/run/phase.ts";
import type { LiveRun } from "../state/state.ts";
import { fence, removeHidden } from "../text/untrusted.ts";

/** A report is taken once: as the result of the call that waits for it, or as news for a run that goes on. */

/** Citations of a report as sources read by the parent's call. They get names in the parent's session. */
export interface Cited {
  readonly found: FoundSources;
  /** each name in the child, and the mark that replaces it here */
  readonly marks: readonly { readonly was: string; readonly id: EvidenceMark; readonly page: PageMark }[];
}

/** `pages`: those that the report cites, by their names in the child, each with its whole text. */
export function citedIn(report: ChildReport, pages: ReadonlyMap<string, Omit<ReadPage, "passages">>): Cited {
  const found: ReadPage[] = [];
  const indexes = new Map<string, number>();
  const marks: Cited["marks"][number][] = [];
  for (const { id: was, page: name, start, end, quote } of report.citations ?? []) {
    const page = pages.get(name);
    if (page === undefined) continue;
    const at = indexes.get(name) ?? found.length;
    if (at === found.length) found.push({ ...page, passages: [] });
    indexes.set(name, at);
    const passages = [...(found[at]?.passages ?? []), { start, end, quote }];
    found[at] = { ...page, passages };
    marks.push({ was, id: { $evidence: [at, passages.length - 1] }, page: { $page: at } });
  }
  return { found: { pages: found, urls: [] }, marks };
}

/**
 * Returns the model's view of a report. `names`: names of the cited evidence in this session. Marks are renamed
 * wherever the child wrote them. A mark without a name is removed, because here it would denote another source.
 */
export function reportOutput(report: ChildReport, names: ReadonlyMap<string, string>): Json {
  const { child, outcome, reason, value, citations = [] } = report;
  const face = outcomeClass(outcome);
  // Hidden characters are removed first, because they could split a mark.
  const renamed = (text: string): string => renameMarks(report.tainted ? removeHidden(text) : text, names);
  const answer = renamed(report.answer);
  const summary = report.summary === undefined ? undefined : renamed(report.summary);
  const cited = citations.flatMap(({ id, url, title, quote }) => {
    const name = names.get(id);
    return name === undefined ? [] : [{ id: name, url, title, quote }];
  });
  return {
    ok: face === "answered" || face === "partial",
    child,
    outcome: face,
    ...(reason === null ? {} : { reason }),
    answer,
    ...(value === undefined ? {} : { value: mapTexts(value, renamed) }),
    ...(summary === undefined ? {} : { summary }),
    ...(cited.length === 0 ? {} : { evidence: cited }),
  };
}

/** A value, each of its texts as `change` makes it, keys included. */
function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  );
}

/** A report as it is written: `text` is the whole of what the model may read of it, `shown` what it is shown. */
export interface WrittenReport {
  readonly text: string;
  readonly shown: string;
  readonly output: Json;
  readonly sources: Sources | null;
}

/** The entries that take a report: it, and the result of its call where that waits for it. */
export function reportEntries(
  run: LiveRun,
  { call, wait }: OpenChild,
  report: ChildReport,
  { text, shown, output, sources }: WrittenReport,
): EntryDraft[] {
  const step = run.step === 0 ? null : stepName(run.run, run.step);
  const waiting = callsOf(run).find((one) => one.call === call && isDeferred(one));
  const named = sources === null ? {} : { sources };
  const reported = (more: Pick<ChildReported, "observation" | "sources">): EntryDraft => ({
    kind: "child_reported",
    run: run.run,
    step,
    body: { ...report, call, ...more },
  });
  if (waiting === undefined || !wait) {
    return [reported({ ...named, observation: report.tainted ? fence(shown, call) : shown })];
  }
  const face = outcomeClass(report.outcome);
  const result = { ...resultOf(face, report, { shown, text, tool: waiting.tool, output }), ...named };
  return [
    reported({}),
    ...settleCall(run, callsOf(run), waiting, report.tainted ? fenceResult(result, call) : result),
  ];
}

function resultOf(
  face: OutcomeClass,
  report: ChildReport,
  {
    shown,
    text,
    tool,
    output,
  }: { readonly shown: string; readonly text: string; readonly tool: string; readonly output: Json },
): CallResult {
  if (face === "answered" || face === "partial") {
    const mark = markOutput(tool, NO_SHAPE, { child: report.child }, output);
    return { status: "ok", observation: shown, chars: text.length, failure: null, ms: 0, mark };
  }
  const code = report.reason ?? report.outcome;
  const message =
    face === "cancelled"
      ? `The run ${report.child} was stopped.`
      : `The run ${report.child} has failed (${code}).`;
  const failure = {
    class: "internal",
    code: face === "cancelled" ? "child_stopped" : "child_failed",
    message,
    retryable: false,
    hint: "Go on without it, or do this part yourself, and tell the person.",
  } as const;
  const failed = failedResult(face === "cancelled" ? "cancelled" : "error", failure);
  return { ...failed, observation: shown, chars: text.length };
}
