import { openApi, type Api, type Person } from "../sessions/session-fixture.ts";

/** A client of revision 2026-07-28 that knows tasks, over real sessions. */

export const api = openApi();
export const MODERN = "2026-07-28";
export const TASKS = { "io.modelcontextprotocol/tasks": {} };

interface Asked {
  readonly who?: Person | null;
  readonly token?: string;
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
  readonly doors?: Api;
}

export function message(method: string, params: Record<string, unknown>, capabilities: object): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta } });
}

/** A request as a client of 2026-07-28 sends it, which knows tasks. */
export function ask(
  method: string,
  params: Record<string, unknown> = {},
  asked: Asked = {},
): Promise<Response> {
  const { who = "alice", token, headers = {}, doors = api } = asked;
  const { capabilities = { elicitation: {}, extensions: TASKS } } = asked;
  const name = params["name"] ?? params["taskId"];
  return doors.call("/mcp", {
    method: "POST",
    who: token === undefined ? who : null,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: message(method, params, capabilities),
  });
}

export interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly inputRequests?: Record<
    string,
    { readonly params: { readonly message: string; readonly requestedSchema: object } }
  >;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}
export interface Rpc<Value> {
  readonly result: Value;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly code: string };
  };
}
export const rpc = async <Value>(response: Promise<Response>): Promise<Rpc<Value>> =>
  (await response).json<Rpc<Value>>();
export const refusalOf = async (response: Promise<Response>) => {
  const { error } = await rpc(response);
  return [error.code, error.data?.code ?? error.message];
};
export const start = async (objective: string): Promise<string> =>
  (await rpc<Task>(ask("tools/call", { name: "agent_start", arguments: { objective } }))).result.taskId;
export const load = async (taskId: string): Promise<Task> =>
  (await rpc<Task>(ask("tasks/get", { taskId }))).result;
export const settled = async (taskId: string): Promise<Task> => {
  await tool("agent_get", { runId: taskId }, { capabilities: {} });
  return load(taskId);
};
export const update = (taskId: string, inputResponses: Record<string, unknown>, asked: Asked = {}) =>
  ask("tasks/update", { taskId, inputResponses }, asked);
export interface ToolResult {
  readonly isError?: true;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
}
export const tool = async (
  name: string,
  args: Record<string, unknown>,
  asked: Asked = {},
): Promise<ToolResult> => (await rpc<ToolResult>(ask("tools/call", { name, arguments: args }, asked))).result;
export const keyOf = (task: Task): string => Object.keys(task.inputRequests ?? {})[0] ?? "none";
export const yes = { action: "accept", content: { decision: "approve" } };
