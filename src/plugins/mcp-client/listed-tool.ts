import { digestOf } from "../../cairn/core/log/digest.ts";
import type { Json, JsonObject } from "../../cairn/core/log/json.ts";

/** A tool as its MCP server last listed it. A session stores it for the run that began with it. */

export interface McpTool {
  /** as the server calls it */
  readonly name: string;
  /** under which a model calls it, `mcp_<server>_<tool>` */
  readonly as: string;
  readonly title: string | null;
  /** the server's words: cut, and without hidden characters */
  readonly description: string;
  /** JSON Schema of its input, its descriptions cut and without hidden characters */
  readonly inputSchema: JsonObject;
  /** of the server's complete description: a later call requires the same */
  readonly digest: string;
}

export interface McpListing {
  readonly server: string;
  /** of the server's settings with which it was asked */
  readonly settings: string;
  /** milliseconds since the epoch */
  readonly at: number;
  /** revision of the protocol that it speaks */
  readonly protocol: string;
  /** the discovery result, so that it need not be requested again; null for a server without discovery */
  readonly discover: Json;
  readonly tools: readonly McpTool[];
  /** what it lists and is not offered, by its name there; a rule for tools that it does not list */
  readonly left: readonly { readonly tool: string; readonly why: string }[];
  /** forms that the protocol does not have, and that were read all the same; absent from lists of an earlier release */
  readonly odd?: readonly string[];
}

/** Digest of a server's description of a tool. The harmlessness hints are left out: nothing relies on them. */
export function mcpToolDigest(listed: {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: Json;
  readonly outputSchema: Json;
}): string {
  return digestOf(listed);
}
