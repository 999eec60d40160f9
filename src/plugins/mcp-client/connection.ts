import * as z from "zod";
import { loadMcpClient } from "../../../build/modules/mcp.ts";
import { toJson, type JsonObject } from "../../cairn/core/log/json.ts";
import type { McpListing, McpTool } from "./listed-tool.ts";
import { ToolError } from "../../cairn/tools/define.ts";
import { withTimeLimit } from "../../cairn/time-limit.ts";
import type { Account } from "./account.ts";
import { callResult, readAnswer } from "./content.ts";
import { faultOf } from "./faults.ts";
import { digestOfTool, offeredOf, readTool, type ListedTool } from "./listing.ts";
import { Oddities } from "./oddities.ts";
import { openReach, type McpAccess } from "./reach.ts";
import { LISTED, repairedResponse } from "./repair.ts";
import { settingsDigest, type McpServer } from "./server.ts";

/**
 * One conversation with a server: opened for a list or a call, and closed after it. No connection stays open, so a
 * hibernating object loses none, and requests of a server are not answered: Cairn offers no capability for them.
 */

/** from the first request to the end of a list */
export const LIST_MS = 8_000;
/** of a list, and pages of it, that are read at most */
export const LISTED_MAX = 2_000;
export const PAGES_MAX = 50;
const CLOSE_MS = 1_000;
/** JSON-RPC 2.0, section 5.1; the protocol answers it for a cursor that is not valid */
const INVALID_PARAMS = -32_602;
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
  /** of Cairn, sent to the server */
  readonly version: string;
  /** what the end of a stream may be ahead of its message; left out but in tests */
  readonly drainMs?: number;
  readonly signal: AbortSignal;
}

type Sdk = Awaited<ReturnType<typeof loadMcpClient>>;
type Client = InstanceType<Sdk["Client"]>;
type Known = Pick<McpListing, "protocol" | "discover">;

/** The server's current list of tools. Throws a ToolError; nothing was done then. */
export async function listTools(parts: Parts, now: () => number): Promise<McpListing> {
  const { server } = parts;
  return withTimeLimit(LIST_MS, parts.signal, (signal) =>
    converse({ ...parts, signal }, { known: null, timeoutMs: LIST_MS }, async (client, talk) => {
      const wanted = server.allow === undefined ? null : new Set(server.allow);
      const items: unknown[] = [];
      let more: string | null = null;
      for await (const { tools, isCut } of pagesOf(client, talk)) {
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
        ...offeredOf(server, items.slice(0, LISTED_MAX), more, talk.odd),
        odd: talk.odd.list(),
      };
    }),
  );
}

/**
 * Calls a listed tool. The server is asked first if the tool is unchanged: a changed one is `tool_changed`, and not
 * called. Throws a ToolError, which tells if something may have been done.
 */
export async function callTool(
  parts: Parts,
  known: Known,
  tool: McpTool,
  input: JsonObject,
): Promise<JsonObject> {
  const { server } = parts;
  return converse(parts, { known, timeoutMs: server.timeoutMs }, async (client, talk) => {
    const found = await findTool(client, tool.name, talk);
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

const page = z.looseObject({
  tools: z.array(z.unknown()),
  [LISTED]: z.array(z.unknown()).optional(),
  nextCursor: z.string().optional(),
});

interface ListedPage {
  readonly tools: readonly unknown[];
  /** true for the last page that is read, where the server has more */
  readonly isCut: boolean;
}

/**
 * The pages of a list. A list ends at the latest with the second request without new items: some servers send the
 * same cursor again, or ignore the cursor that they get.
 */
async function* pagesOf(client: Client, { signal, odd, isInvalid }: Talk): AsyncGenerator<ListedPage> {
  const cursors = new Set<string>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  let idle = 0;
  for (let n = 0; n < PAGES_MAX; n++) {
    const params = cursor === undefined ? {} : { cursor };
    const request = client.request({ method: "tools/list", params }, page, limits(signal, LIST_MS));
    const answer = await request.catch((error: unknown) => {
      // An empty cursor is valid in the revision 2026-07-28, and the end of a list for servers that know no better.
      if (n === 0 || !isInvalid(error, cursor === "")) throw error;
      odd.note("The server refuses a cursor that it has sent");
      return { tools: [], nextCursor: undefined };
    });
    const { nextCursor } = answer;
    const listed = LISTED in answer ? (answer[LISTED] ?? answer.tools) : answer.tools;
    const marks = listed.map(markOf);
    const isRepeated = n > 0 && listed.length > 0 && marks.every((mark) => seen.has(mark));
    idle = listed.length === 0 ? idle + 1 : 0;
    for (const mark of marks) seen.add(mark);
    const end =
      nextCursor === undefined
        ? ""
        : isRepeated
          ? "The server lists the same tools again for another cursor"
          : cursors.has(nextCursor)
            ? "The server sends a `nextCursor` again that it has sent before"
            : idle > 1
              ? "The server sends empty pages and a `nextCursor` after them"
              : null;
    yield { tools: isRepeated ? [] : listed, isCut: end === null && n === PAGES_MAX - 1 };
    if (nextCursor === "") odd.note("A list has an empty `nextCursor`");
    if (end !== null && end !== "") odd.note(end);
    if (end !== null || nextCursor === undefined) return;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
}

/** The same for the same item. */
const markOf = (item: unknown): string => {
  const tool = readTool(item);
  return tool === null ? "" : `${tool.name} ${digestOfTool(tool)}`;
};

async function findTool(client: Client, name: string, talk: Talk): Promise<ListedTool | null> {
  for await (const { tools } of pagesOf(client, talk)) {
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
  /** what the server has answered in a wrong form */
  readonly odd: Oddities;
  /** true of a server's answer that a request has invalid parameters; `orAny`: of its answer with any error */
  readonly isInvalid: (error: unknown, orAny: boolean) => boolean;
}

/** Opens a conversation, and ends it whatever becomes of it. */
async function converse<Value>(
  { server, access, shown, version, drainMs, signal: outer }: Parts,
  { known, timeoutMs }: { readonly known: Known | null; readonly timeoutMs: number },
  work: (client: Client, talk: Talk) => Promise<Value>,
): Promise<Value> {
  const sdk = await loadMcpClient();
  const reach = openReach(access, outer, drainMs);
  const client = new sdk.Client(
    { name: "cairn", version },
    { versionNegotiation: { mode: "auto" }, capabilities: {}, inputRequired: { autoFulfill: false } },
  );
  takeResultsAsTheyCome(client);
  const odd = new Oddities();
  const transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
    fetch: async (url, init) => repairedResponse(await reach.fetch(url, init), init?.body, odd),
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
    return await work(client, {
      signal: reach.signal,
      sent: () => (mayHaveDone = true),
      odd,
      isInvalid: (error, orAny) =>
        error instanceof sdk.ProtocolError && (orAny || error.code === INVALID_PARAMS),
    });
  } catch (error) {
    if (error instanceof ToolError) throw error;
    const circumstances = {
      server,
      sdk,
      shown,
      reached: reach.fault(),
      mayHaveDone,
      isStopped: outer.aborted,
    };
    throw faultOf(error, circumstances);
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
  const request: Request = (request, ...rest) =>
    request.method === "tools/call" ? inner(request, callResult, ...rest) : inner(request, ...rest);
  Object.assign(client, { request });
}

/** Facts from the list that need not be fetched again before each call. */
function priorOf(known: Known | null, { isSpecType }: Pick<Sdk, "isSpecType">) {
  if (known === null) return null;
  const { discover, protocol }: { discover: unknown; protocol: string } = known;
  if (isSpecType.DiscoverResult(discover)) return { kind: "modern", discover } as const;
  return protocol <= LEGACY ? ({ kind: "legacy" } as const) : null;
}
