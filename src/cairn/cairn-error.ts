import type { JsonObject } from "./core/log/json.ts";

/** A field of an argument that is wrong. */
export interface CairnIssue {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** The fields of a refusal: those of an error body of the HTTP API. */
export interface CairnRefusal {
  /** as over HTTP, such as 403 */
  readonly status: number;
  /** listed in docs/api.md, such as `missing_scope` */
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly requestId: string | null;
  readonly issues?: readonly CairnIssue[];
  /** seconds, with status 429 */
  readonly retryAfter?: number;
  /** further fields of the body, such as the approval that was decided already */
  readonly details?: JsonObject;
}

/**
 * A refused call of `Api`. It crosses RPC with its fields and without a stack, and arrives as a plain `Error`: test it with
 * `isCairnError`, not with `instanceof`.
 */
export class CairnError extends Error implements CairnRefusal {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;
  readonly requestId: string | null;

  constructor({ message, ...fields }: CairnRefusal) {
    super(message);
    this.name = "CairnError";
    this.status = fields.status;
    this.code = fields.code;
    this.hint = fields.hint;
    this.requestId = fields.requestId;
    Object.assign(this, fields);
    // The frames of this worker are of no use to the caller.
    this.stack = `CairnError: ${message}`;
  }
}

/** True for a `CairnError`, also for one that came over RPC. */
export function isCairnError(error: unknown): error is Error & CairnRefusal {
  return error instanceof Error && error.name === "CairnError" && "code" in error && "status" in error;
}
