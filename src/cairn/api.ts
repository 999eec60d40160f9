import type { Bindings } from "./bindings.ts";
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import * as z from "zod";
import { isObject, type Json, type JsonObject } from "./core/log/json.ts";
import { readRunId } from "./core/log/names.ts";
import { parseApprovalId, parseFields, parseSessionId } from "./http/kit/parse.ts";
import type { decisionSchema, messageSchema } from "./http/kit/parse-commands.ts";
import { INTERNAL, invalid, NOT_FOUND } from "./http/kit/responses.ts";
import { refusal, type ApiError, type ApiResult } from "./session/api/session-api.ts";
import type { Answer } from "./protocol/api.ts";
import type { RUN_REQUEST } from "./protocol/run-spec/shape.ts";
import { CairnError, type CairnIssue } from "./cairn-error.ts";
import { plainJson, type JsonFault } from "./plain-json.ts";

/**
 * The interface of a deployment for other Workers of the same account, over a service binding with `entrypoint = "Api"`. Each call
 * becomes the request of the HTTP API that does the same, so limits, scopes and refusals are those of docs/api.md.
 */

/** A service binding to `Api` as its callers declare it: `interface Env { readonly CAIRN: CairnApi }`. */
export interface CairnApi {
  /** `POST /api/runs`: waits up to 25 seconds for the end of the run, or with `async` for nothing. */
  run(request: RunRequest, options?: StartOptions): Promise<Answer<"Run">>;
  /** `GET /api/runs/:runId` */
  readRun(runId: string): Promise<Answer<"RunDetail">>;
  /** Names a session; the calls on it are checked. No await is needed before `send`. */
  session(id: string): CairnSession;
  /** `GET /api/approvals` */
  approvals(query?: ApprovalsQuery): Promise<Answer<"Approvals">>;
  /** `POST /api/sessions/:id/approvals/:approvalId` */
  decide(decision: ApprovalDecision): Promise<Answer<"Approval">>;
}

export interface CairnSession {
  /** `POST /api/sessions/:id/messages`. A text is a message of this text alone. */
  send(message: string | Message, options?: SendOptions): Promise<Answer<"Accepted">>;
}

/** A run as a program sends it: the body of `POST /api/runs`. */
export type RunRequest = z.input<typeof RUN_REQUEST>;
export type Message = z.input<typeof messageSchema>;

export interface SendOptions {
  /** as the header `Idempotency-Key` */
  readonly idempotencyKey?: string;
}

export interface StartOptions extends SendOptions {
  /** true: answers at once */
  readonly async?: boolean;
}

export type ApprovalsQuery = z.input<typeof approvalsQuery>;

export type ApprovalDecision = z.input<typeof decisionSchema> & {
  readonly sessionId: string;
  readonly approvalId: string;
};

/** Props of the binding: a subject of AUTH_TOKENS, and at most which of its scopes the binding has (all when left out). */
export interface ApiProps {
  readonly subject: string;
  readonly scopes?: readonly ("read" | "send" | "approve" | "admin")[];
}

/** The class of a project's `Api`. */
export type ApiClass = new (
  context: ExecutionContext,
  env: Bindings,
) => WorkerEntrypoint<Bindings> & CairnApi;

/** Parts of the worker that `Api` uses. */
export interface ApiParts {
  /** Answers a request by the rights of the binding's `props`. */
  readonly call: (
    request: Request,
    props: unknown,
    env: Bindings,
    context: ExecutionContext,
  ) => Promise<Response>;
  /** of one argument */
  readonly bytesMax: (env: Bindings) => number;
  /** a bug, for the operator's log */
  readonly report: (error: unknown, env: Bindings) => void;
}

export function createApi(parts: ApiParts): ApiClass {
  // Methods of the prototype can be called over RPC, and nothing else: what is not for callers is `#private`.
  return class Api extends WorkerEntrypoint<Bindings> implements CairnApi {
    run(request: RunRequest, options?: StartOptions): Promise<Answer<"Run">> {
      return this.#answer((read) => {
        const { async: later = false, idempotencyKey } = fieldsOf(runOptions, read(options ?? {}));
        const path = later ? "/api/runs?async=true" : "/api/runs";
        return { path, body: read(request), idempotencyKey };
      });
    }

    readRun(runId: string): Promise<Answer<"RunDetail">> {
      return this.#answer(() => {
        if (typeof runId !== "string" || readRunId(runId) === null) throw errorOf(NOT_FOUND);
        return { path: `/api/runs/${runId}` };
      });
    }

    session(id: string): CairnSession {
      return new ApiSession((message, options) =>
        this.#answer((read) => {
          const { idempotencyKey } = fieldsOf(sendOptions, read(options ?? {}));
          const body = read(message);
          return {
            path: `/api/sessions/${nameOf(parseSessionId, id)}/messages`,
            body: typeof body === "string" ? { text: body } : body,
            idempotencyKey,
          };
        }),
      );
    }

    approvals(query?: ApprovalsQuery): Promise<Answer<"Approvals">> {
      return this.#answer((read) => {
        const fields = fieldsOf(approvalsQuery, read(query ?? {}));
        const pairs = Object.entries(fields).map(([name, value]) => [name, String(value)]);
        return { path: `/api/approvals?${new URLSearchParams(pairs).toString()}` };
      });
    }

    decide(decision: ApprovalDecision): Promise<Answer<"Approval">> {
      return this.#answer((read) => {
        const named = read(decision);
        if (!isObject(named)) throw errorOf(invalid("The argument is an object."));
        const { sessionId, approvalId, ...body } = named;
        const session = nameOf(parseSessionId, sessionId);
        return { path: `/api/sessions/${session}/approvals/${nameOf(parseApprovalId, approvalId)}`, body };
      });
    }

    /** Sends the request that `ask` makes. Throws a `CairnError` alone. */
    async #answer<Value>(ask: (read: Read) => ApiRequest): Promise<Value> {
      try {
        const request = requestOf(ask((argument) => readArgument(argument, parts.bytesMax(this.env))));
        const response = await parts.call(request, this.ctx.props, this.env, this.ctx);
        // The worker's own answer.
        if (response.ok) return await response.json<Value>();
        throw await refusalIn(response);
      } catch (error) {
        if (error instanceof CairnError) throw error;
        parts.report(error, this.env);
        throw errorOf(INTERNAL);
      }
    }
  };
}

class ApiSession extends RpcTarget implements CairnSession {
  readonly #send: CairnSession["send"];

  constructor(send: CairnSession["send"]) {
    super();
    this.#send = send;
  }

  send(message: string | Message, options?: SendOptions): Promise<Answer<"Accepted">> {
    return this.#send(message, options);
  }
}

/** A request to be made: a POST where it has a body. */
interface ApiRequest {
  readonly path: string;
  readonly body?: Json;
  readonly idempotencyKey?: string | undefined;
}

type Read = (argument: unknown) => Json;

const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, "1 to 128 visible ASCII characters.")
  .optional();
const sendOptions = z.strictObject({ idempotencyKey });
const runOptions = z.strictObject({ async: z.boolean().optional(), idempotencyKey });

const QUERY_CHARS_MAX = 256;
const queryText = z.string().max(QUERY_CHARS_MAX).optional();
/** the route validates the values */
const approvalsQuery = z.strictObject({
  state: queryText,
  sessionId: queryText,
  limit: z.int().optional(),
  cursor: queryText,
});

/** Only this worker sees the address. It is not local, because local callers would be anonymous. */
const ORIGIN = "https://cairn.invalid";

function requestOf({ path, body, idempotencyKey: key }: ApiRequest): Request {
  const url = `${ORIGIN}${path}`;
  if (body === undefined) return new Request(url);
  const headers = new Headers({ "content-type": "application/json" });
  if (key !== undefined) headers.set("idempotency-key", key);
  return new Request(url, { method: "POST", headers, body: JSON.stringify(body) });
}

const FAULTS: Readonly<Record<JsonFault, (bytesMax: number) => ApiError>> = {
  not_json: () => refusal(400, "invalid_json", "The argument is not JSON.", "Send plain data."),
  too_deep: () => invalid("The argument is nested too deep."),
  too_many_values: () => invalid("The argument has too many values."),
  too_large: (bytesMax) => refusal(413, "body_too_large", `The argument is larger than ${bytesMax} bytes.`),
};

/** An argument as JSON of bounded size, or a refusal; the route counts its bytes once more. */
function readArgument(argument: unknown, bytesMax: number): Json {
  const text = plainJson(argument, bytesMax);
  if (!text.ok) throw errorOf(FAULTS[text.error](bytesMax));
  return JSON.parse(text.value) as Json;
}

function fieldsOf<Schema extends z.ZodType>(schema: Schema, value: Json): z.output<Schema> {
  const fields = parseFields(schema, value);
  if (!fields.ok) throw errorOf(fields.error);
  return fields.value;
}

/** A name for a path: one that is none would lead to another route. */
function nameOf(parse: (name: string | undefined) => ApiResult<string>, name: unknown): string {
  const parsed = parse(typeof name === "string" ? name : undefined);
  if (!parsed.ok) throw errorOf(parsed.error);
  return parsed.value;
}

function errorOf({ status, code, message, hint, issues }: ApiError): CairnError {
  const fields = { status, code, message, hint: hint ?? null, requestId: null };
  return new CairnError(issues === undefined ? fields : { ...fields, issues });
}

interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
    readonly requestId: string;
    readonly issues?: readonly CairnIssue[];
  };
}

async function refusalIn(response: Response): Promise<CairnError> {
  const { error, ...details } = await response.json<ErrorBody & JsonObject>();
  const wait = response.headers.get("retry-after");
  return new CairnError({
    status: response.status,
    ...error,
    ...(wait === null ? {} : { retryAfter: Number(wait) }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  });
}
