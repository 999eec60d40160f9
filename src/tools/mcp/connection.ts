import * as z from "zod";
import { loadMcpClient } from "../../../build/modules/mcp.ts";
import { toJson, type JsonObject } from "../../core/log/json.ts";
import type { McpListing, McpTool } from "../../core/mcp.ts";
import { ToolError } from "../define.ts";
import { within } from "../web/within.ts";
import type { Account } from "./account.ts";
import { callResult, readAnswer } from "./content.ts";
import { faultOf } from "./faults.ts";
import { digestOfTool, offeredOf, readTool, type ToldTool } from "./listing.ts";
import { openReach, type McpAccess } from "./reach.ts";
import { settingsDigest, type McpServer } from "./server.ts";

/**
 * One conversation with a server: it is opened for a list or a call, and closed after it. Nothing is left open, so an object
 * that sleeps loses none, and nothing that a server asks of its own is answered: Cairn has no capability that it could use.
 */

/** from the first request to the end of a list */
export const LIST_MS = 8_000;
/** of a list, and pages of it, that are read at most */
export const LISTED_MAX = 2_000;
export const PAGES_MAX = 50;
const CLOSE_MS = 1_000;
const DISCOVER_CHARS_MAX = 8_000;
/** the last revision in which a session is opened by `initialize` */
const LEGACY = "2025-11-25";

/** How Cairn shows itself. */
export type Shown =
  | { readonly by: "nothing" }
  | { readonly by: "bearer"; readonly token: string }
  | { readonly by: "account"; readonly account: Account };

export interface Parts {
  readonly server: McpServer;
  readonly access: McpAccess;
  readonly shown: Shown;
  /** of Cairn, told to the server */
  readonly version: string;
  /** what the end of a stream may be ahead of its message; left out but in tests */
  readonly heardMs?: number;
  readonly signal: AbortSignal;
}

type Sdk = Awaited<ReturnType<typeof loadMcpClient>>;
type Client = InstanceType<Sdk["Client"]>;
type Known = Pick<McpListing, "protocol" | "discover">;

/** What the server lists now. Throws a ToolError; nothing was done then. */
export async function listTools(parts: Parts, now: () => number): Promise<McpListing> {
  const { server } = parts;
  return within(LIST_MS, parts.signal, (signal) =>
    converse({ ...parts, signal }, { known: null, timeoutMs: LIST_MS }, async (client, talk) => {
      const wanted = server.allow === undefined ? null : new Set(server.allow);
      const items: unknown[] = [];
      let more: string | null = null;
      for await (const { tools, isCut } of pagesOf(client, talk.signal)) {
        items.push(...tools);
        // Once all that is allowed was found, the rest is of no use.
        for (const item of tools) wanted?.delete(readTool(item)?.name ?? "");
        if (wanted?.size === 0) break;
        if (isCut) more = `The server lists more than ${PAGES_MAX} pages; those after them were not read.`;
        if (items.length < LISTED_MAX) continue;
        more = `The server lists more than ${LISTED_MAX} tools; those after them were not looked at.`;
        break;
      }
      const discover = toJson(client.getDiscoverResult() ?? null);
      return {
        server: server.name,
        settings: settingsDigest(server),
        at: now(),
        protocol: client.getNegotiatedProtocolVersion() ?? LEGACY,
        discover: JSON.stringify(discover).length > DISCOVER_CHARS_MAX ? null : discover,
        ...offeredOf(server, items.slice(0, LISTED_MAX), more),
      };
    }),
  );
}

/**
 * Calls a tool as it was listed. The server is asked first whether the tool still is what it was: one that has changed is
 * `tool_changed`, and not called. Throws a ToolError, which says whether something may have been done.
 */
export async function callTool(
  parts: Parts,
  known: Known,
  tool: McpTool,
  input: JsonObject,
): Promise<JsonObject> {
  const { server } = parts;
  return converse(parts, { known, timeoutMs: server.timeoutMs }, async (client, talk) => {
    const found = await findTool(client, tool.name, talk.signal);
    if (found === null || digestOfTool(found) !== tool.digest)
      throw new ToolError(
        "permission",
        "tool_changed",
        found === null
          ? `${server.name} does not list ${tool.name} any more, so nothing was done.`
          : `What ${server.name} says of ${tool.name} has changed since this run began, so nothing was done.`,
        {
          nothingDone: true,
          hint: "Work with the other tools, or tell the person to ask again: a new run takes it as it is then.",
        },
      );
    talk.sent();
    const result = await client.callTool(
      { name: tool.name, arguments: { ...input } },
      {
        ...limits(talk.signal, server.timeoutMs),
        // Without the form of its output, which is a stranger's like the output itself.
        toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: "object" } },
      },
    );
    return readAnswer(result, `${server.name}'s ${tool.name}`);
  });
}

const limits = (signal: AbortSignal, timeout: number) => ({ signal, timeout, maxTotalTimeout: timeout });

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

interface ListedPage {
  readonly tools: readonly unknown[];
  /** true for the last page that is read, where the server has more */
  readonly isCut: boolean;
}

async function* pagesOf(client: Client, signal: AbortSignal): AsyncGenerator<ListedPage> {
  let cursor: string | undefined;
  for (let n = 0; n < PAGES_MAX; n++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, page, {
      ...limits(signal, LIST_MS),
    });
    yield { tools, isCut: nextCursor !== undefined && n === PAGES_MAX - 1 };
    if (nextCursor === undefined) return;
    cursor = nextCursor;
  }
}

async function findTool(client: Client, name: string, signal: AbortSignal): Promise<ToldTool | null> {
  for await (const { tools } of pagesOf(client, signal)) {
    const found = tools.map(readTool).find((tool) => tool?.name === name);
    if (found != null) return found;
  }
  return null;
}

interface Talk {
  /** aborts with the conversation */
  readonly signal: AbortSignal;
  /** what follows may change something */
  readonly sent: () => void;
}

/** Opens a conversation, and ends it whatever becomes of it. */
async function converse<Value>(
  { server, access, shown, version, heardMs, signal: outer }: Parts,
  { known, timeoutMs }: { readonly known: Known | null; readonly timeoutMs: number },
  work: (client: Client, talk: Talk) => Promise<Value>,
): Promise<Value> {
  const sdk = await loadMcpClient();
  const reach = openReach(access, outer, heardMs);
  const client = new sdk.Client(
    { name: "cairn", version },
    { versionNegotiation: { mode: "auto" }, capabilities: {}, inputRequired: { autoFulfill: false } },
  );
  takeResultsAsTheyCome(client);
  const transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
    fetch: reach.fetch,
    onInsufficientScope: "throw",
    ...(shown.by === "account" ? { authProvider: shown.account } : {}),
    ...(shown.by === "bearer"
      ? { requestInit: { headers: { authorization: `Bearer ${shown.token}` } } }
      : {}),
  });
  let mayHaveDone = false;
  try {
    const prior = priorOf(known, sdk);
    await client.connect(transport, {
      ...limits(reach.signal, Math.min(timeoutMs, LIST_MS)),
      ...(prior === null ? {} : { prior }),
    });
    return await work(client, { signal: reach.signal, sent: () => (mayHaveDone = true) });
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const told = { server, sdk, shown, reached: reach.fault(), mayHaveDone, isStopped: outer.aborted };
    throw faultOf(error, told);
  } finally {
    if (transport.sessionId !== undefined && !reach.signal.aborted) {
      const timer = setTimeout(() => void client.close().catch(() => {}), CLOSE_MS);
      await transport.terminateSession().catch(() => {});
      clearTimeout(timer);
    }
    await client.close().catch(() => {});
    reach.end();
  }
}

type Request = (request: { readonly method: string }, ...rest: readonly unknown[]) => Promise<unknown>;

/**
 * Results of calls are read by the form of `content.ts` alone. The form of the client tries each item of a result as five types and
 * notes every mismatch: seconds for a long list, and one item of an unknown type fails the whole.
 */
function takeResultsAsTheyCome(client: Client): void {
  const inner = client.request.bind(client) as Request;
  const request: Request = (asked, ...rest) =>
    asked.method === "tools/call" ? inner(asked, callResult, ...rest) : inner(asked, ...rest);
  Object.assign(client, { request });
}

/** What the list has found out need not be asked again before each call. */
function priorOf(known: Known | null, { isSpecType }: Pick<Sdk, "isSpecType">) {
  if (known === null) return null;
  const { discover, protocol }: { discover: unknown; protocol: string } = known;
  if (isSpecType.DiscoverResult(discover)) return { kind: "modern", discover } as const;
  return protocol <= LEGACY ? ({ kind: "legacy" } as const) : null;
}
