import type { Via } from "./approval.ts";
import type { JsonObject } from "./json.ts";

/** Tools that the client of a run brings and runs itself, as they are stored. */

/** Parsed, and within the bounds of `limits.ts`. */
export interface ClientTool {
  readonly name: string;
  /** words of the caller; empty where it gave none */
  readonly description: string;
  /** JSON Schema of the arguments, whose root is an object */
  readonly inputSchema: JsonObject;
}

/** A call that waits for its client. */
export interface ClientCallRequest {
  readonly call: string;
  readonly tool: string;
  readonly expiresAt: number;
}

export interface ClientAnswered {
  readonly call: string;
  /** no client has answered in time */
  readonly expired: boolean;
  /** of the answer as it came; null where it expired */
  readonly digest: string | null;
  readonly actor: string;
  readonly via: Via;
  /** the client's name for the segment that follows */
  readonly request: string | null;
}
