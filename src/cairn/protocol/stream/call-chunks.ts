import type { Entry, ProposedCall } from "../../core/log/entry.ts";
import { unfence } from "../../core/text/untrusted.ts";
import type { Json } from "../../core/log/json.ts";
import { approvalView, type ApprovalEntries } from "../approval.ts";
import { parseJson } from "../json.ts";
import { isoTime, type UiChunk } from "./ui-chunk.ts";

/**
 * The tool parts of one run. Remembers what was proposed, what was shown and what was asked, because a call is shown only
 * when it runs, waits for a person or has its result: one that is held back behind an undecided call is not there yet.
 */
export class CallChunks {
  readonly #session: string;
  readonly #calls = new Map<string, ShownCall>();
  readonly #approvals = new Map<string, ApprovalEntries>();

  constructor(session: string) {
    this.#session = session;
  }

  proposed(call: ProposedCall): void {
    this.#calls.set(call.call, { call, input: call.input, shown: false });
  }

  /** The input of a call, once. */
  show(call: string): UiChunk[] {
    const known = this.#calls.get(call);
    if (known === undefined || known.shown || isAnswer(known.call.tool)) return [];
    known.shown = true;
    return [inputAvailable(known)];
  }

  settled(entry: Entry<"call_settled">): UiChunk[] {
    const { call, tool, status, failure } = entry.body;
    const known = this.#calls.get(call);
    if (known === undefined || isAnswer(tool)) return [];
    if (!known.shown && status !== "ok" && failure?.class === "invalid_args") {
      known.shown = true;
      return [{ ...inputAvailable(known), type: "tool-input-error", errorText: failureText(entry) }];
    }
    const shown = this.show(call);
    if (status === "denied") return [...shown, { type: "tool-output-denied", toolCallId: call }];
    const result = shownResult(entry);
    return "errorText" in result
      ? [...shown, { type: "tool-output-error", toolCallId: call, ...result }]
      : [...shown, { type: "tool-output-available", toolCallId: call, ...result }];
  }

  approvalRequested(entry: Entry<"approval_requested">): UiChunk[] {
    const { approval, call, summary, digest, expiresAt, needed, policy } = entry.body;
    const entries = { request: entry, later: [] };
    this.#approvals.set(approval, entries);
    const data = { type: "data-approval", id: approval, data: approvalView(this.#session, entries) } as const;
    // A remembered decision decides without asking.
    if (policy !== undefined) return [...this.show(call), data];
    const approvalDescriptor = { digest, expiresAt: isoTime(expiresAt), needed };
    return [
      ...this.show(call),
      {
        type: "tool-approval-request",
        approvalId: approval,
        toolCallId: call,
        reason: summary,
        approvalDescriptor,
      },
      data,
    ];
  }

  /** A vote, or more people who may: the card as it is now. */
  changed(entry: Entry<"approval_voted"> | Entry<"approval_escalated">): UiChunk[] {
    return this.#card(entry);
  }

  decided(entry: Entry<"approval_decided"> | Entry<"approval_cancelled">): UiChunk[] {
    const { approval, call, reason } = entry.body;
    const known = this.#calls.get(call);
    const card = this.#card(entry);
    const { request: asked = null, later = [] } = this.#approvals.get(approval) ?? {};
    const chunks: UiChunk[] = [];
    const decision = entry.kind === "approval_decided" ? entry.body.decision : "cancelled";
    const approved = decision === "approve" || decision === "edit";
    const edit = later.findLast((entry) => "decision" in entry.body && entry.body.decision === "edit");
    if (approved && edit !== undefined && "args" in edit.body && known !== undefined) {
      known.input = edit.body.args;
      chunks.push(inputAvailable(known));
    }
    const why = reason === null ? {} : { reason };
    if (asked?.body.policy === undefined)
      chunks.push({ type: "tool-approval-response", approvalId: approval, approved, ...why });
    return [...chunks, ...card];
  }

  #card(entry: ApprovalEntries["later"][number]): UiChunk[] {
    const { approval } = entry.body;
    const known = this.#approvals.get(approval);
    if (known === undefined) return [];
    const entries = { ...known, later: [...known.later, entry] };
    this.#approvals.set(approval, entries);
    return [{ type: "data-approval", id: approval, data: approvalView(this.#session, entries) }];
  }
}

interface ShownCall {
  readonly call: ProposedCall;
  input: Json;
  shown: boolean;
}

/** `complete` is shown as its answer text, not as a tool. */
export function isAnswer(tool: string): boolean {
  return tool === "complete";
}

function inputAvailable({ call, input }: ShownCall): UiChunk & { type: "tool-input-available" } {
  const { call: toolCallId, tool: toolName, title } = call;
  return { type: "tool-input-available", toolCallId, toolName, input, title };
}

/** The result of a call as its tool part shows it. */
export function shownResult(
  entry: Entry<"call_settled">,
): { readonly output: Json } | { readonly errorText: string } {
  const { status, observation, chars } = entry.body;
  return status === "ok" ? { output: outputOf(observation, chars) } : { errorText: failureText(entry) };
}

/** The observation as cut for the model: JSON where it is whole and is JSON, else its text. */
function outputOf(shown: string, chars: number): Json {
  const observation = unfence(shown);
  if (chars !== observation.length || !/^[[{]/.test(observation)) return observation;
  return (parseJson(observation) as Json | undefined) ?? observation;
}

function failureText(entry: Entry<"call_settled">): string {
  const { status, failure, observation } = entry.body;
  const text = failure?.message ?? observation;
  return status === "unknown" ? `Unknown outcome: ${text}` : text;
}
