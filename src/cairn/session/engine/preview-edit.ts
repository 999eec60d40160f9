import { approvalTooLarge } from "../../core/guards/approval-size.ts";
import { REPLY_CHARS_MAX } from "../../core/limits.ts";
import { outlookOf } from "../../core/log/approval.ts";
import type { Json } from "../../core/log/json.ts";
import { runId } from "../../core/log/names.ts";
import type { Decide } from "../../core/loop/receive-decision.ts";
import { markCall } from "../../core/state/call-digest.ts";
import type { State } from "../../core/state/state.ts";
import { visiblePreview } from "../../core/text/visible.ts";
import { activeCalls, digestOfCall, keyOf } from "./claim.ts";
import type { Ports } from "./ports.ts";

/** Why edited arguments are not taken: the approval is as it was. */
export interface EditRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly issues?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
}

/** Arguments that a person has put in place of the asked ones, weighed like a new proposal. */
export type PreviewedEdit =
  | ({ readonly ok: true } & NonNullable<Decide["edited"]>)
  | { readonly ok: false; readonly error: EditRefusal };

const argsPath = (path: string): string =>
  path === "" || path.startsWith("[") ? `args${path}` : `args.${path}`;

const refuse = (code: string, message: string, more: Partial<EditRefusal> = {}): PreviewedEdit => ({
  ok: false,
  error: { status: 422, code, message, ...more },
});

/**
 * Checks edited arguments by the tool's schema and policy and computes their impact from current data. Only reads; a
 * separate transaction uses the result, if the approval is still open then.
 */
export async function previewEdit(
  ports: Pick<Ports, "tools" | "facts" | "clock" | "createdAt">,
  state: State,
  approval: string,
  args: Json,
): Promise<PreviewedEdit> {
  const { run } = state;
  const open = run?.phase.at === "waiting_approval" ? run.phase.approval : null;
  const call = run === null ? undefined : activeCalls(run).find((item) => item.call === open?.call);
  if (run === null || open?.approval !== approval || call === undefined) {
    return refuse("already_decided", "This approval is not open any more.", { status: 409 });
  }
  if (JSON.stringify(args).length > REPLY_CHARS_MAX) {
    const message = `Arguments are at most ${REPLY_CHARS_MAX} characters of JSON, as those of the model are.`;
    return refuse("invalid_args", message, { issues: [{ path: "args", code: "too_large", message }] });
  }
  const checked = ports.tools.check(call.tool, args, undefined, "edited");
  if (!checked.ok) {
    const { message, code, at, hint } = checked.failure;
    const found = checked.issues ?? [{ path: at ?? "", code, message }];
    const issues = found.map((issue) => ({ ...issue, path: argsPath(issue.path) }));
    return refuse("invalid_args", message, { issues, ...(hint === undefined ? {} : { hint }) });
  }
  const { session } = ports.facts;
  const order = {
    call: call.call,
    tool: call.tool,
    input: checked.input,
    key: keyOf(ports, call),
    run: runId(session, run.run),
    subject: run.request.actor,
    attempt: 1,
    at: ports.clock(),
    approved: null,
  };
  const outcome = await ports.tools.preview(order, new AbortController().signal);
  if (outcome.kind === "failed") {
    const { message, code, at } = outcome.failure;
    return refuse("invalid_args", message, {
      issues: [{ path: argsPath(at ?? ""), code, message }],
    });
  }
  const preview = visiblePreview(outcome.preview);
  const { need, title, summary, basis } = preview;
  if (need.kind === "deny") return refuse("invalid_args", need.reason);
  const tooLarge = approvalTooLarge(preview, checked.input);
  if (tooLarge !== null) return refuse(tooLarge.code, tooLarge.message);
  const digest = digestOfCall(ports, run, call.tool, checked.input);
  const mark = markCall(checked.card.traits, checked.card.shape, checked.input);
  return {
    ok: true,
    args: checked.input,
    digest,
    shown: { title, summary, ...outlookOf(preview), basis },
    mark,
  };
}
