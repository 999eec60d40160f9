import * as z from "zod";
import { err, ok } from "../../cairn/core/log/result.ts";
import { visibleText } from "../../cairn/core/text/visible.ts";
import { refusal, type Actor, type ApiResult } from "../../cairn/session/api/session-api.ts";
import type { Deps } from "../../cairn/http/deps.ts";
import type { SessionClient } from "../../cairn/http/kit/session-client.ts";
import { sessionOfRun, type RunState, type WaitingFor } from "./run-state.ts";

/**
 * A run's open approval or question as an input request of the protocol, and the answer to it. The key of a request
 * names what was shown, an approval with its digest: an answer to anything else decides nothing.
 */

export interface InputRequest {
  readonly method: "elicitation/create";
  readonly params: {
    readonly mode: "form";
    readonly message: string;
    readonly requestedSchema: {
      readonly type: "object";
      readonly properties: Readonly<Record<string, InputField>>;
      readonly required: string[];
    };
  };
}

interface InputField {
  readonly type: "string";
  readonly title: string;
  readonly description?: string;
  readonly enum?: string[];
}

/** Runs of a tree may ask under the same names, so one below has its id at the end. */
function keyOf({ runId, waitingFor: waiting }: RunState & { readonly waitingFor: WaitingFor }): string {
  const below = waiting.runId === runId ? "" : `/${waiting.runId}`;
  return waiting.kind === "approval"
    ? `approval/${waiting.approvalId}/${waiting.digest}${below}`
    : `question/${waiting.questionId}${below}`;
}

/** The open request of a run under its key; empty if it waits for nobody. */
export function inputRequestsOf(state: RunState): { [key: string]: InputRequest } {
  const { waitingFor } = state;
  if (waitingFor === null) return {};
  return {
    [keyOf({ ...state, waitingFor })]:
      waitingFor.kind === "approval" ? decisionForm(waitingFor) : answerForm(waitingFor),
  };
}

function decisionForm(approval: Extract<WaitingFor, { kind: "approval" }>): InputRequest {
  return form(approvalWords(approval), ["decision"], {
    decision: {
      type: "string",
      title: "Decision",
      enum: approval.complete ? ["approve", "deny"] : ["deny"],
    },
    reason: { type: "string", title: "Reason", description: "Optional; the agent reads it." },
  });
}

function answerForm({ question, context, options }: Extract<WaitingFor, { kind: "question" }>): InputRequest {
  const words = [question, ...(context === null ? [] : [context])].join("\n\n");
  const choice = options.length === 0 ? {} : { enum: [...options] };
  return form(words, ["answer"], { answer: { type: "string", title: "Answer", ...choice } });
}

/** A person decides by the message, so nothing in it hides. */
const form = (
  message: string,
  required: string[],
  properties: Readonly<Record<string, InputField>>,
): InputRequest => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message: visibleText(message),
    requestedSchema: { type: "object", properties, required },
  },
});

/** Everything that a person decides by, in words. */
export function approvalWords(approval: Extract<WaitingFor, { kind: "approval" }>): string {
  const { text, complete, lookAt, digest, expiresAt } = approval;
  const look = lookAt === null ? "on the page, under “Needs you”" : lookAt;
  return [
    text,
    ...(complete ? [] : [`Look and decide: ${look}`]),
    `Digest: ${digest}\nTime to decide: until ${expiresAt}`,
  ].join("\n\n");
}

const responseSchema = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});
const decisionSchema = z.object({
  decision: z.enum(["approve", "deny"]),
  reason: z.string().max(1_000).optional(),
});
const answerSchema = z.object({ answer: z.string().min(1) });

const invalid = (message: string, hint?: string) => refusal(400, "invalid_request", message, hint);

export const NOT_WAITING = refusal(
  409,
  "not_waiting",
  "This run waits for no answer.",
  "Read it again: it is at work, or has ended.",
);
/** A yes to what this way of deciding has no room to show. */
export const NOT_SHOWN_WHOLE = refusal(
  409,
  "not_shown_whole",
  "This approval is too long to be approved here.",
  "The person looks at all of it on the page, and decides there. It can be denied here.",
);
const OTHER_DIGEST = refusal(
  409,
  "digest_mismatch",
  "What this answers is not what is asked now.",
  "Read the run again, and answer what is shown then.",
);

/**
 * Passes the matching response to the run. A response under an unknown key is ignored, as the protocol requires; one
 * to a closed request is refused. `cancel` leaves it open; `decline` denies exactly what was shown.
 */
export async function takeResponses(
  deps: Pick<Deps, "sessions">,
  actor: Actor,
  state: RunState,
  responses: Readonly<Record<string, unknown>>,
): Promise<ApiResult<"taken" | "ignored">> {
  const { waitingFor } = state;
  if (waitingFor === null) return err(NOT_WAITING);
  const key = keyOf({ ...state, waitingFor });
  if (!Object.hasOwn(responses, key)) {
    const isOld = Object.keys(responses).some((other) => isAboutSame(other, waitingFor));
    return isOld ? err(OTHER_DIGEST) : ok("ignored");
  }
  const response = responseSchema.safeParse(responses[key]);
  if (!response.success) return err(invalid(`The response under ${key} is not one to elicitation/create.`));
  const { action, content } = response.data;
  if (action === "cancel") return ok("ignored");
  const { runId } = waitingFor;
  const asker = sessionOfRun(deps, runId);
  if (!asker.ok) return asker;
  const client = asker.value;
  if (waitingFor.kind === "question") {
    if (action === "decline") return ok("ignored");
    const parsed = answerSchema.safeParse(content);
    if (!parsed.success) return err(invalid("An answer is a text in `answer`."));
    const { questionId: question } = waitingFor;
    return taken(await client.answer(actor, { runId, question, value: parsed.data.answer }));
  }
  const decision =
    action === "decline"
      ? { success: true as const, data: { decision: "deny" as const } }
      : decisionSchema.safeParse(content);
  if (!decision.success) return err(invalid("`decision` is approve or deny."));
  if (decision.data.decision === "approve" && !waitingFor.complete) return err(NOT_SHOWN_WHOLE);
  return taken(await decideApproval(client, actor, { ...waitingFor, ...decision.data }));
}

/** The same approval with another digest, or another approval or question. */
function isAboutSame(key: string, waiting: WaitingFor): boolean {
  return waiting.kind === "approval" ? key.startsWith("approval/") : key.startsWith("question/");
}

export interface Decided {
  readonly approvalId: string;
  readonly digest: string;
  readonly decision: "approve" | "deny";
  readonly reason?: string | undefined;
}

/** Decides what has this digest, and nothing else: the session refuses a yes or no to what was not shown. */
export function decideApproval(
  client: SessionClient,
  actor: Actor,
  { approvalId: approval, digest, decision, reason }: Decided,
): ReturnType<SessionClient["decide"]> {
  return client.decide(actor, { approval, decision, args: null, reason: reason ?? null, digest });
}

const taken = (result: ApiResult<unknown>): ApiResult<"taken"> => (result.ok ? ok("taken") : result);
