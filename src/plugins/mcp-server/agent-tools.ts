import * as z from "zod";
import { sha256Hex } from "../../cairn/core/log/digest.ts";
import { canonicalJson } from "../../cairn/core/log/json.ts";
import { RUN_WAIT_MS } from "../../cairn/core/limits.ts";
import { err, ok } from "../../cairn/core/log/result.ts";
import { refusal, type Actor, type ApiResult, type Scope } from "../../cairn/session/api/session-api.ts";
import type { Deps } from "../../cairn/http/deps.ts";
import { parseApprovalId, parseFields } from "../../cairn/http/kit/parse.ts";
import { missingScope } from "../../cairn/http/kit/route.ts";
import { RUN_FILES_MAX } from "../../cairn/protocol/run-spec/files.ts";
import { beginRun } from "../../cairn/http/runs/start-run.ts";
import { decideApproval, NOT_SHOWN_WHOLE, NOT_WAITING } from "./inputs.ts";
import { loadRunState, sessionOfRun, type RunState } from "./run-state.ts";

/** The tools by which an assistant has the agent work: start a run, read it, answer it, stop it. */

const WAIT_SECONDS_MAX = RUN_WAIT_MS / 1_000;
const WAIT_SECONDS = 20;

const runId = z.string().max(128).describe("The id of the run, as agent_start answered it.");
const waitSeconds = z
  .number()
  .int()
  .min(0)
  .max(WAIT_SECONDS_MAX)
  .optional()
  .describe(
    `How long to wait for its end or for a question of it; ${WAIT_SECONDS} when left out. 0 answers at once.`,
  );

const startSchema = z.strictObject({
  objective: z.string().min(1).max(20_000).describe("What is to be done, in words."),
  sessionId: z
    .string()
    .optional()
    .describe("A session to go on with, which remembers what was said there. A new one when left out."),
  agent: z
    .string()
    .optional()
    .describe("The name of an agent of this deployment. Its default one when left out."),
  files: z
    .array(z.string().min(1).max(300))
    .max(RUN_FILES_MAX)
    .optional()
    .describe("Files that were sent to the session, by the ids or paths that their uploads answered."),
  instructions: z.string().max(20_000).optional().describe("What holds for this run beside its objective."),
  run: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "More of the run, in the fields of POST /api/runs: targets, metadata, output, model, fallback_models, tools, preset and others.",
    ),
  idempotencyKey: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The same key with the same arguments is the same run, however often it is asked for."),
  waitSeconds,
});

const getSchema = z.strictObject({ runId, waitSeconds });

const updateSchema = z.strictObject({
  runId,
  approvalId: z.string().optional().describe("The approval that is decided, as the run names it."),
  digest: z
    .string()
    .max(128)
    .optional()
    .describe("The digest of the approval as it was shown. Another one is refused."),
  decision: z.enum(["approve", "deny"]).optional().describe("Only as the person has said it."),
  reason: z.string().max(1_000).optional().describe("Why; the agent reads it."),
  questionId: z
    .string()
    .max(128)
    .optional()
    .describe("The question that is answered; the open one when left out."),
  answer: z.string().min(1).max(65_536).optional().describe("The answer to a question of the run."),
  waitSeconds,
});

const cancelSchema = z.strictObject({ runId });

export interface AgentTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  readonly scope: Scope;
  /** it changes nothing */
  readonly reads: boolean;
}

/** Every tool of the agent, with what its caller needs. */
export const AGENT_TOOLS = {
  agent_start: {
    name: "agent_start",
    title: "Start a run",
    description:
      "Has the agent of this deployment work on an objective: it reads and changes the site, searches, writes. Answers with the run. If it is not over yet, ask agent_get. What needs a person's yes waits as an approval.",
    schema: startSchema,
    scope: "send",
    reads: false,
  },
  agent_get: {
    name: "agent_get",
    title: "Read a run",
    description:
      "Where a run stands: working, input_required (waitingFor says for what), completed with its answer, failed or cancelled.",
    schema: getSchema,
    scope: "read",
    reads: true,
  },
  agent_update: {
    name: "agent_update",
    title: "Answer a run",
    description:
      "Gives a run what it waits for: a decision on an approval (approvalId, digest, decision), or the answer to a question. Show an approval to the person by its text, all of it, and send only what they decided.",
    schema: updateSchema,
    scope: "read",
    reads: false,
  },
  agent_cancel: {
    name: "agent_cancel",
    title: "Stop a run",
    description: "Stops a run that is at work or waits. What it did stays.",
    schema: cancelSchema,
    scope: "send",
    reads: false,
  },
} as const satisfies Readonly<Record<string, AgentTool>>;

export type AgentToolName = keyof typeof AGENT_TOOLS;

export const isAgentTool = (name: string): name is AgentToolName => Object.hasOwn(AGENT_TOOLS, name);

/** Runs the tool. `waits: false` returns at once, for a client that polls (tasks). */
export function callAgentTool(
  deps: Deps,
  actor: Actor,
  name: AgentToolName,
  args: unknown,
  how: { readonly requestId: string; readonly waits: boolean },
): Promise<ApiResult<RunState>> {
  const { scope } = AGENT_TOOLS[name];
  const missing = missingScope(actor, [scope]);
  if (missing !== null) return Promise.resolve(err(missing));
  switch (name) {
    case "agent_start":
      return withFields(startSchema, args, (fields) => start(deps, actor, fields, how));
    case "agent_get":
      return withFields(getSchema, args, ({ runId: id, waitSeconds: seconds }) =>
        loadRunState(deps, actor, id, msOf(seconds)),
      );
    case "agent_update":
      return withFields(updateSchema, args, (fields) => update(deps, actor, fields));
    case "agent_cancel":
      return withFields(cancelSchema, args, (fields) =>
        cancelRun(deps, actor, fields.runId, msOf(undefined)),
      );
  }
}

async function withFields<Schema extends z.ZodType>(
  schema: Schema,
  args: unknown,
  work: (fields: z.output<Schema>) => Promise<ApiResult<RunState>>,
): Promise<ApiResult<RunState>> {
  const fields = parseFields(schema, args);
  return fields.ok ? work(fields.value) : fields;
}

const msOf = (seconds: number | undefined): number => (seconds ?? WAIT_SECONDS) * 1_000;

async function start(
  deps: Deps,
  actor: Actor,
  { waitSeconds: seconds, idempotencyKey: key, ...fields }: z.output<typeof startSchema>,
  { requestId, waits }: { readonly requestId: string; readonly waits: boolean },
): Promise<ApiResult<RunState>> {
  const { objective, sessionId, agent, files, instructions, run = {} } = fields;
  const twice = Object.keys(run).find((name) => NAMED_BY_ARGUMENTS.includes(name));
  if (twice !== undefined) {
    const issue = {
      path: `run.${twice}`,
      code: "unknown_field",
      message: "An argument of its own says this.",
    };
    return err({ ...refusal(400, "unknown_field", `The field run.${twice} is not known.`), issues: [issue] });
  }
  const body = {
    ...run,
    objective,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(agent === undefined ? {} : { agent }),
    ...(files === undefined ? {} : { files }),
    ...(instructions === undefined ? {} : { instructions }),
  };
  const idempotency =
    key === undefined
      ? null
      : {
          key: sha256Hex(JSON.stringify([actor.subject, "/mcp agent_start", key])),
          digest: sha256Hex(canonicalJson(body)),
        };
  const begun = await beginRun(deps, actor, body, { idempotency, traceId: requestId });
  if (!begun.ok) return begun;
  const { runId: id } = begun.value;
  // A token that may send but not read gets the fields about its own run that the response to its message has.
  if (missingScope(actor, ["read"]) !== null) return ok(unread(id));
  return loadRunState(deps, actor, id, waits ? msOf(seconds) : 0);
}

/** Fields of a run that agent_start has arguments for. */
const NAMED_BY_ARGUMENTS: readonly string[] = [
  "objective",
  "session_id",
  "agent",
  "files",
  "instructions",
  "config",
  "properties",
];

function unread(id: string): RunState {
  const at = new Date().toISOString();
  return {
    runId: id,
    sessionId: id.slice(0, id.lastIndexOf(".")),
    status: "working",
    receipt: null,
    answer: null,
    partial: false,
    reason: null,
    progress: null,
    waitingFor: null,
    steps: 0,
    createdAt: at,
    updatedAt: at,
  };
}

const ONE_THING = refusal(
  400,
  "invalid_request",
  "Send either a decision or an answer.",
  "A decision has approvalId, digest and decision; an answer has answer.",
);

async function update(
  deps: Deps,
  actor: Actor,
  { runId: id, waitSeconds: seconds, ...fields }: z.output<typeof updateSchema>,
): Promise<ApiResult<RunState>> {
  const { approvalId, digest, decision, reason, questionId: question = null, answer } = fields;
  const now = await loadRunState(deps, actor, id, 0);
  if (!now.ok) return now;
  const asker = askerOf(now.value, { approvalId, question });
  const found = sessionOfRun(deps, asker);
  if (!found.ok) return found;
  const client = found.value;
  if (decision !== undefined && answer === undefined && question === null) {
    if (approvalId === undefined || digest === undefined) return err(ONE_THING);
    const approval = parseApprovalId(approvalId);
    // An approval of another run is none of this one.
    if (!approval.ok || !approvalId.startsWith(`${asker.slice(asker.lastIndexOf(".") + 1)}s`))
      return err(NOT_WAITING);
    const missing = missingScope(actor, ["approve"]);
    if (missing !== null) return err(missing);
    const { waitingFor } = now.value;
    const isCut =
      waitingFor?.kind === "approval" && waitingFor.approvalId === approvalId && !waitingFor.complete;
    if (decision === "approve" && isCut) return err(NOT_SHOWN_WHOLE);
    const decided = await decideApproval(client, actor, { approvalId, digest, decision, reason });
    if (!decided.ok) return decided;
  } else if (answer !== undefined && decision === undefined && approvalId === undefined) {
    const missing = missingScope(actor, ["send"]);
    if (missing !== null) return err(missing);
    const answered = await client.answer(actor, { runId: asker, question, value: answer });
    if (!answered.ok) return answered;
  } else return err(ONE_THING);
  return loadRunState(deps, actor, id, msOf(seconds));
}

/** The run that asks: an approval or question shown with a run may belong to one below it. */
function askerOf(
  { runId: own, waitingFor }: RunState,
  { approvalId, question }: { readonly approvalId: string | undefined; readonly question: string | null },
): string {
  if (waitingFor === null) return own;
  const isShown =
    waitingFor.kind === "approval"
      ? waitingFor.approvalId === approvalId
      : question === null || waitingFor.questionId === question;
  return isShown ? waitingFor.runId : own;
}

/** Stops a run; one that is over stays as it is. */
export async function cancelRun(
  deps: Deps,
  actor: Actor,
  id: string,
  waitMs: number,
): Promise<ApiResult<RunState>> {
  const missing = missingScope(actor, ["send"]);
  if (missing !== null) return err(missing);
  const client = sessionOfRun(deps, id);
  if (!client.ok) return client;
  const before = await loadRunState(deps, actor, id, 0);
  if (!before.ok) return before;
  const stopped = await client.value.stopRun(actor, { id: deps.newId(), runId: id });
  return stopped.ok ? loadRunState(deps, actor, id, waitMs) : stopped;
}
