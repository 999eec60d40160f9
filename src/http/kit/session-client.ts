import * as z from "zod";
import type { ApprovalLinkApi } from "../../session/api/approval-link.ts";
import {
  type Actor,
  type DeliveriesApi,
  type ApiError,
  type SessionApi,
  type LifecycleApi,
  ACTOR_HEADER,
  type SchedulesApi,
} from "../../session/api/session-api.ts";
import { INTERNAL } from "./responses.ts";

/** One session as the worker reaches it: commands by RPC, streams and sockets by fetch. */
export interface SessionClient
  extends SessionApi, LifecycleApi, DeliveriesApi, ApprovalLinkApi, SchedulesApi {
  /** 200 and `text/event-stream`, or the status of a ApiError with it as JSON */
  stream(actor: Actor, of: StreamOf): Promise<Response>;
  /** 101, or the status of a ApiError with it as JSON */
  connect(actor: Actor, request: Request): Promise<Response>;
}

export type StreamOf =
  | { readonly kind: "events"; readonly after: number; readonly until: "idle" | null }
  /** `run` is the public id, or `live` (204 when none works); `after` a pos, null for everything */
  | {
      readonly kind: "run";
      readonly run: string;
      readonly after: number | null;
      /** what lies between two waits for a person, the first or the last of it; or the message of the whole run */
      readonly part: "first" | "last" | "whole";
    };

/** The Session object of this name. It comes into being with its first call. */
export function sessionClient(env: Pick<Env, "SESSION">, id: string): SessionClient {
  const stub = (): DurableObjectStub => env.SESSION.get(env.SESSION.idFromName(id));
  // The type of a stub maps every result through the serialiser's types and loses our unions on the way.
  // The class declares `implements SessionApi`, and all of it is plain data, so this is what the stub is.
  type Api = SessionApi & LifecycleApi & DeliveriesApi & ApprovalLinkApi & SchedulesApi;
  const api = (): Api => stub() as unknown as Api;
  const fetchFrom = (actor: Actor, request: Request): Promise<Response> => {
    const marked = new Request(request);
    marked.headers.set(ACTOR_HEADER, headerText(actor));
    return stub().fetch(marked);
  };
  return {
    say: (actor, command) => twice(() => api().say(actor, command)),
    answer: (actor, command) => twice(() => api().answer(actor, command)),
    cancel: (actor, command) => twice(() => api().cancel(actor, command)),
    extend: (actor, command) => twice(() => api().extend(actor, command)),
    decide: (actor, command) => twice(() => api().decide(actor, command)),
    approval: (actor, approval) => twice(() => api().approval(actor, approval)),
    // Once: of a policy that is gone nobody can say who took it back.
    revoke: (actor, policy) => api().revoke(actor, policy),
    linked: (actor, approval) => twice(() => api().linked(actor, approval)),
    events: (actor, after, limit) => twice(() => api().events(actor, after, limit)),
    messages: (actor, limit, before) => twice(() => api().messages(actor, limit, before)),
    readRun: (actor, id) => twice(() => api().readRun(actor, id)),
    view: (actor) => twice(() => api().view(actor)),
    readTrace: (actor, run, format, prompts) => twice(() => api().readTrace(actor, run, format, prompts)),
    memory: (actor) => twice(() => api().memory(actor)),
    deliveries: (actor, limit, cursor) => twice(() => api().deliveries(actor, limit, cursor)),
    schedule: (actor, command) => twice(() => api().schedule(actor, command)),
    schedules: (actor) => twice(() => api().schedules(actor)),
    unschedule: (actor, id) => twice(() => api().unschedule(actor, id)),
    steer: (actor, command) => twice(() => api().steer(actor, command)),
    regenerate: (actor, command) => twice(() => api().regenerate(actor, command)),
    create: (actor, command) => twice(() => api().create(actor, command)),
    change: (actor, command) => twice(() => api().change(actor, command)),
    remove: (actor) => api().remove(actor),
    copyPoint: (actor, scope, atSeq) => twice(() => api().copyPoint(actor, scope, atSeq)),
    copyRows: (actor, scope, after, upTo) => twice(() => api().copyRows(actor, scope, after, upTo)),
    copyNames: (actor, scope) => twice(() => api().copyNames(actor, scope)),
    copyText: (actor, scope, name) => twice(() => api().copyText(actor, scope, name)),
    recall: (actor, once) => twice(() => api().recall(actor, once)),
    adopt: (actor, rows, texts) => twice(() => api().adopt(actor, rows, texts)),
    settle: (actor, command) => twice(() => api().settle(actor, command)),
    stream: (actor, of) => twice(() => fetchFrom(actor, new Request(streamUrl(of)))),
    connect: (actor, request) => twice(() => fetchFrom(actor, request)),
  };
}

function streamUrl(of: StreamOf): string {
  const query = new URLSearchParams();
  if (of.kind === "run") query.set("run", of.run);
  if (of.kind === "run") query.set("part", of.part);
  if (of.after !== null) query.set("after", String(of.after));
  if (of.kind === "events" && of.until !== null) query.set("until", of.until);
  return `https://session/stream/${of.kind}?${query.toString()}`;
}

/** Header values are bytes; a subject is ASCII, so this text is too. */
const headerText = (actor: Actor): string =>
  JSON.stringify({
    subject: actor.subject,
    scopes: actor.scopes,
    via: actor.via,
    expiresAt: actor.expiresAt,
    grant: actor.grant,
    ticket: actor.ticket,
  });

/**
 * Asks again, once, when the object was reset or moved under the call. Every command has an id or changes nothing the
 * second time. Each try takes a new stub, because one that saw a reset stays broken.
 */
async function twice<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (!isPassing(error)) throw error;
    return await ask();
  }
}

function isPassing(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const overloaded = "overloaded" in error && error.overloaded === true;
  const retryable = "retryable" in error && error.retryable === true;
  const reset = "durableObjectReset" in error && error.durableObjectReset === true;
  return (retryable || reset) && !overloaded;
}

const apiErrorSchema = z.object({
  status: z.number().int().min(400).max(599),
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  retryAfter: z.number().optional(),
});

/** The refusal in an answer of `stream` or `connect`; anything else that it may hold is ours to keep. */
export async function readRefusal(response: Response): Promise<ApiError> {
  try {
    const { hint, retryAfter, ...error } = apiErrorSchema.parse(await response.json());
    return {
      ...error,
      ...(hint === undefined ? {} : { hint }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  } catch {
    return INTERNAL;
  }
}
