import { reask, type Subject } from "./answer.ts";
import type { EntryDraft } from "../log/entry.ts";
import { grantOf } from "../log/grant.ts";
import { reviewSubject } from "../guards/review/before-finish.ts";
import { guardRow } from "../rows/verdict.ts";
import { readMarker } from "../text/markers.ts";
import { asksForCode, findTextCall } from "./text-call.ts";

const TEXT_CALL = "TEXT_CALL";
const ANSWER_BESIDE_CALLS = "ANSWER_BESIDE_CALLS";

/**
 * The rows of a reply that writes a call as text, or null: it is no answer. The model is told once what form is expected;
 * the next such reply before it has called anything ends the run without a model's words. `final`: the answer is forced.
 */
export function writtenCall(subject: Subject, step: string, final: boolean): EntryDraft[] | null {
  const { run, rows, reply } = subject;
  if (reply.finish === "length" || reply.finish === "content-filter") return null;
  const grant = grantOf(rows);
  const tool = findTextCall(textOf(subject), (name) => grant.has(name));
  if (tool === null || asksForCode(reviewSubject(run, rows, "").request)) return null;
  const expected = final
    ? "No tools are left: answer the person in words."
    : "Make it a tool call of its own, as the tools are offered to you, not in the text of your reply; or answer the person in words.";
  const held = reask(
    subject,
    step,
    TEXT_CALL,
    `You wrote a call of ${tool} as text, so nothing was run. ${expected}`,
  );
  const called = rows.findLastIndex((row) => row.kind === "model_replied" && row.body.calls.length > 0);
  if (final || !rows.slice(called + 1).some((row) => hasCode(row, TEXT_CALL))) return held;
  const hint = `A call of ${tool} was written as text twice, and never made.`;
  const verdict = { code: "INVALID_OUTPUT", rule: "text_call", evidence: { seqs: [] }, hint };
  return [...held, guardRow(run, "after_reply", verdict, "end")];
}

/** An answer beside calls is held while they run; the model is told so once in a run. */
export function answerBeside(subject: Subject, step: string): EntryDraft[] {
  const isTold = subject.rows.some((row) => hasCode(row, ANSWER_BESIDE_CALLS));
  if (isTold || readMarker(textOf(subject)).candidate === null) return [];
  return reask(
    subject,
    step,
    ANSWER_BESIDE_CALLS,
    "Your FINAL_ANSWER stood beside calls, so it was held back: their results may change it. Give the answer in a reply without calls when nothing is left to call.",
  );
}

function textOf({ reply }: Subject): string {
  return reply.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function hasCode(row: Subject["rows"][number], code: string): boolean {
  return row.kind === "guard_fired" && row.body.code === code;
}
