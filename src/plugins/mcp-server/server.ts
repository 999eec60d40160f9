import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { loadMcpServer } from "../../../build/modules/mcp.ts";
import type { JsonObject } from "../../cairn/core/log/json.ts";
import type { Actor, ApiError, ApiResult } from "../../cairn/session/api/session-api.ts";
import type { Deps } from "../../cairn/http/deps.ts";
import { hasScope } from "../../cairn/http/kit/credentials.ts";
import { AGENT_TOOLS, callAgentTool, cancelRun, isAgentTool, type AgentTool } from "./agent-tools.ts";
import { inputRequestsOf, takeResponses } from "./inputs.ts";
import { read, readingToolsFor } from "./reading-tools.ts";
import { loadRunState, type RunState } from "./run-state.ts";
import { taskOf, taskDetailOf, textResult } from "./tasks.ts";

/** Cairn as the protocol's server: made for one request and its caller, forgotten after it. */

export type Sdk = Awaited<ReturnType<typeof loadMcpServer>>;

export const TASKS = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** JSON-RPC and MCP codes of errors */
export const CODES = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  missingCapability: -32_021,
};

const INSTRUCTIONS =
  "Cairn is an agent that works on this deployment's website and what else its tools reach. agent_start gives it an objective; agent_get says how far it is. When a run waits for an approval, show the person its impact and digest, and give their decision to agent_update. The other tools only read.";

/** A list is the caller's own, and changes with a deployment. */
const LIST_TTL_MS = 60_000;

const metaSchema = z.looseObject({
  [CAPABILITIES]: z.looseObject({
    elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }).optional(),
    extensions: z.record(z.string(), z.unknown()).optional(),
  }),
});

const callSchema = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
const taskSchema = z.looseObject({ taskId: z.string() });
const updateSchema = z.looseObject({
  taskId: z.string(),
  inputResponses: z.record(z.string(), z.unknown()).optional(),
});

export interface Asker {
  readonly actor: Actor;
  readonly era: "legacy" | "modern";
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** The fields of the protocol's request that handlers use. */
interface RequestContext {
  readonly mcpReq: {
    readonly envelope?: object;
    readonly inputResponses?: Record<string, unknown>;
  };
}

export function createServer(sdk: Sdk, deps: Deps, asker: Asker): McpServer {
  const { actor, era, requestId, signal } = asker;
  const whole = new sdk.McpServer(
    { name: "cairn", title: "Cairn", version: deps.version },
    {
      capabilities: {
        tools: { listChanged: false },
        ...(era === "modern" ? { extensions: { [TASKS]: {} } } : {}),
      },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS, cacheScope: "private" } },
    },
  );
  // The package's registry of tools supports neither tasks as results nor a caller's rights.
  const { server } = whole;
  const refuse = (code: number, message: string, data?: unknown): never => {
    throw new sdk.ProtocolError(code, message, data);
  };
  const given = <Value>(result: ApiResult<Value>): Value => {
    if (result.ok) return result.value;
    const { code, message, hint } = result.error;
    const of = result.error.status >= 500 ? CODES.internal : CODES.invalidParams;
    return refuse(of, hint === undefined ? message : `${message} ${hint}`, { code });
  };
  // Made where it is asked for: a task that is looked at needs no tools.
  const readers = () => {
    const tools = deps.readingTools();
    return { tools, cards: readingToolsFor(tools, actor, deps.admins) };
  };

  server.setRequestHandler("tools/list", () => ({
    tools: [
      ...Object.values(AGENT_TOOLS)
        .filter(({ scope }) => hasScope(actor, scope))
        .map(toolOf),
      ...readers().cards.map(({ name, title, description, inputSchema }) => ({
        name,
        title,
        description,
        inputSchema: objectSchema(inputSchema),
        annotations: { readOnlyHint: true, openWorldHint: false },
      })),
    ],
  }));

  server.setRequestHandler("tools/call", { params: callSchema }, async (params, ctx: RequestContext) => {
    const { name, arguments: args = {} } = params;
    if (isAgentTool(name)) {
      const can = capabilitiesOf(ctx.mcpReq.envelope);
      const isTask = name === "agent_start" && can.tasks;
      const answered = name === "agent_get" ? await answerFirst(args, ctx) : null;
      if (answered?.ok === false) return errorResult(answered.error);
      const state = await callAgentTool(deps, actor, name, args, { requestId, waits: !isTask });
      if (!state.ok) return errorResult(state.error);
      if (isTask) return taskOf(state.value);
      // A person at the client is asked there and then; who has answered, or would not, gets the run.
      const asks = name === "agent_get" && era === "modern" && can.elicitation && answered === null;
      if (asks && state.value.waitingFor !== null)
        return { resultType: "input_required", inputRequests: inputRequestsOf(state.value) };
      return textResult(state.value);
    }
    const { tools, cards } = readers();
    const card =
      cards.find((each) => each.name === name) ??
      refuse(CODES.invalidParams, `There is no tool ${name} for you here.`);
    const order = { id: requestId, subject: actor.subject, at: deps.now(), signal };
    const found = await read(tools, card, args, order);
    return found.ok
      ? { content: [{ type: "text", text: found.text }] }
      : { content: [{ type: "text", text: found.words }], isError: true };
  });

  /** Answers that came with the call; null where none did. */
  const answerFirst = async (
    args: Record<string, unknown>,
    ctx: RequestContext,
  ): Promise<ApiResult<unknown> | null> => {
    const { inputResponses: responses } = ctx.mcpReq;
    const runId = args["runId"];
    if (responses === undefined || typeof runId !== "string") return null;
    const state = await loadRunState(deps, actor, runId, 0);
    return state.ok ? takeResponses(deps, actor, state.value, responses) : state;
  };

  // In the lane before, tasks were another thing, and no client without them is lost: agent_get and agent_update do the same.
  // That a client knows tasks has been seen at the door.
  if (era === "legacy") return whole;

  const loadTask = async (taskId: string): Promise<RunState> => {
    return given(await loadRunState(deps, actor, taskId, 0));
  };

  server.setRequestHandler("tasks/get", { params: taskSchema }, async ({ taskId }) =>
    taskDetailOf(await loadTask(taskId)),
  );
  server.setRequestHandler("tasks/update", { params: updateSchema }, async (params, ctx: RequestContext) => {
    const { taskId } = params;
    const responses = ctx.mcpReq.inputResponses ?? params.inputResponses ?? {};
    const state = await loadTask(taskId);
    given(await takeResponses(deps, actor, state, responses));
    return {};
  });
  server.setRequestHandler("tasks/cancel", { params: taskSchema }, async ({ taskId }) => {
    given(await cancelRun(deps, actor, taskId, 0));
    return {};
  });
  return whole;
}

/** Capabilities that a client of 2026-07-28 sends with each request, in its `_meta`. */
export function capabilitiesOf(meta: unknown): { readonly tasks: boolean; readonly elicitation: boolean } {
  const declared = metaSchema.safeParse(meta);
  if (!declared.success) return { tasks: false, elicitation: false };
  const { elicitation, extensions = {} } = declared.data[CAPABILITIES];
  const byForm =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return { tasks: Object.hasOwn(extensions, TASKS), elicitation: byForm };
}

const toolOf = ({ name, title, description, schema, reads }: AgentTool) => ({
  name,
  title,
  description,
  inputSchema: objectSchema(z.toJSONSchema(schema)),
  annotations: { readOnlyHint: reads, openWorldHint: !reads },
});

/** The schema of a tool's arguments as the protocol's type has it. */
const objectSchema = (schema: object): JsonObject & { readonly type: "object" } => ({
  ...schema,
  type: "object",
});

/** A refusal as the model of the client reads it. */
function errorResult({ code, message, hint, issues = [] }: ApiError) {
  const lines = [
    `${code}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
    ...issues.map((issue) => `${issue.path}: ${issue.message}`),
  ];
  return { content: [{ type: "text", text: lines.join("\n") }], isError: true };
}
