import { NOTICE_ANSWER_BYTES_MAX } from "../core/limits.ts";
import type { BodyOf, Entry, OutcomeClass } from "../core/log/entry.ts";
import type { JsonObject } from "../core/log/json.ts";
import { parentOf, runId } from "../core/log/names.ts";
import type { ApprovalView } from "../protocol/approval.ts";
import type { WebhookEvent } from "./events.ts";
import { receiptView } from "../protocol/receipt.ts";
import { resultOf } from "../protocol/run-result.ts";
import { isoTime } from "../protocol/stream/ui-chunk.ts";
import { RUN_STATUS } from "../protocol/views.ts";

/** A notice to the outside about an entry of the log. */
export interface Notice {
  /** `webhook-id`: the same on every try, and no other notice's */
  readonly id: string;
  readonly type: WebhookEvent;
  /** JSON `{"type","timestamp","data"}` */
  readonly body: string;
}

/** Facts that an entry alone does not contain. */
export interface NoticeContext {
  /** of the run that has ended, and what asked for it */
  readonly answer: (run: string) => BodyOf<"answer"> | null;
  readonly requestOf: (run: string) => BodyOf<"run_queued"> | null;
  /** an approval as it is after this entry */
  readonly approval: (id: string) => ApprovalView | null;
  /** by subject, where each may decide an approval that is open; null where there are no links */
  readonly links: (approval: ApprovalView) => { readonly [subject: string]: string } | null;
}

/** The notices of one entry, in their order; most entries have none. */
export function noticesOf(session: string, entry: Entry, around: NoticeContext): Notice[] {
  // A session that is made again after its end begins at 1 again, and at another time.
  const id = `${session}.${entry.seq}.${entry.at}`;
  const tell = (type: WebhookEvent, data: JsonObject, as = id): Notice => {
    const body = { type, timestamp: isoTime(entry.at), data };
    return { id: as, type, body: JSON.stringify(body) };
  };
  const run = (
    status: string,
    ended: { outcome: OutcomeClass; reason: string | null } | null,
  ): JsonObject => {
    const answer = ended === null ? null : around.answer(entry.run ?? "");
    const queued = around.requestOf(entry.run ?? "");
    const shown = firstBytes(answer?.text ?? "", NOTICE_ANSWER_BYTES_MAX);
    return {
      sessionId: session,
      runId: runId(session, entry.run ?? ""),
      traceId: queued?.spec.traceId ?? null,
      status,
      outcome: ended?.outcome ?? null,
      reason: ended?.reason ?? null,
      receipt: answer === null || ended === null ? null : receiptView(answer, ended),
      answer: ended === null ? null : shown,
      result: answer === null || queued === null ? null : resultOf(queued, shortened(answer, shown)),
    };
  };
  const approval = (type: WebhookEvent, name: string): Notice[] => {
    const view = around.approval(name);
    if (view === null) return [];
    const link = view.state === "pending" ? around.links(view) : null;
    const traceId = around.requestOf(entry.run ?? "")?.spec.traceId ?? null;
    return [tell(type, { ...withoutArgs(view), traceId, ...(link === null ? {} : { link }) })];
  };
  const requestedOf = ({ body }: Entry<"approval_requested">): Notice[] =>
    body.policy === undefined ? approval("approval.requested", body.approval) : [];
  // Child runs emit no run events, but their approvals are announced.
  const isChild =
    IS_OF_RUN.has(entry.kind) &&
    parentOf(session) !== null &&
    around.requestOf(entry.run ?? "")?.parent !== undefined;
  if (isChild) return entry.kind === "approval_requested" ? requestedOf(entry) : [];
  switch (entry.kind) {
    case "run_started":
      return [tell("run.started", run("running", null))];
    case "approval_requested":
      // A remembered decision decides without asking.
      if (entry.body.policy !== undefined) return [];
      // Two notices of one entry, with different IDs, so that a receiver of both does not drop the second as a
      // repetition.
      return [
        tell("run.waiting", run("paused", null), `${id}.run`),
        ...approval("approval.requested", entry.body.approval),
      ];
    case "human_asked":
      return [tell("run.waiting", run("paused", null))];
    case "approval_escalated":
      return approval("approval.escalated", entry.body.approval);
    case "approval_decided":
      return approval(
        entry.body.decision === "expired" ? "approval.expired" : "approval.decided",
        entry.body.approval,
      );
    case "run_ended": {
      const { class: outcome, reason } = entry.body;
      return [tell("run.ended", run(RUN_STATUS[outcome], { outcome, reason }))];
    }
    default:
      return [];
  }
}

const IS_OF_RUN: ReadonlySet<Entry["kind"]> = new Set([
  "run_started",
  "approval_requested",
  "human_asked",
  "run_ended",
]);

/** Arguments may hold anything: they are shown to those who decide, and travel nowhere else. */
function withoutArgs({
  args: _args,
  askedArgs: _asked,
  decision: _text,
  changes: _changes,
  result,
  ...view
}: ApprovalView): JsonObject {
  if (result === null) return { ...view, result };
  const { args: _decided, ...decided } = result;
  return { ...view, result: decided };
}

/** With the beginning of its text; a value that is larger is left out, because half of one is none. */
function shortened(answer: BodyOf<"answer">, text: string): BodyOf<"answer"> {
  const isSmall = new TextEncoder().encode(JSON.stringify(answer.value)).length <= NOTICE_ANSWER_BYTES_MAX;
  return { ...answer, text, value: isSmall ? answer.value : null };
}

/** The beginning of a text, as much of it as fits; no character is cut in two. */
function firstBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= max ? text : new TextDecoder().decode(bytes.subarray(0, max), { stream: true });
}
