import type { Bindings } from "../../bindings.ts";
import * as z from "zod";
import { mapCommands, type CommandName, type ClientApi } from "../../session/commands/commands.ts";
import { ACTOR_HEADER, type Actor, type ApiError } from "../../session/api/session-api.ts";
import { versionOf } from "../../config/rights.ts";
import { INTERNAL } from "./responses.ts";

/** One session as the worker reaches it: commands by RPC, streams and sockets by fetch. */
export interface SessionClient extends ClientApi {
  /** 200 and `text/event-stream`, or the status of a ApiError with it as JSON */
  stream(actor: Actor, of: StreamOf): Promise<Response>;
  /** 101, or the status of a ApiError with it as JSON */
  connect(actor: Actor, request: Request): Promise<Response>;
}

/** The RPC method of the Session object. */
export interface SessionRpc {
  command(name: CommandName, actor: Actor, args: readonly unknown[]): Promise<unknown>;
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
export function sessionClient(env: Pick<Bindings, "SESSION">, id: string): SessionClient {
  // The type of a namespace does not know the class behind it.
  const stub = () => env.SESSION.get(env.SESSION.idFromName(id)) as DurableObjectStub & SessionRpc;
  const version = versionOf(env);
  const dated = (actor: Actor): Actor => (version === null ? actor : { ...actor, version });
  const fetchFrom = (actor: Actor, request: Request): Promise<Response> => {
    const marked = new Request(request);
    marked.headers.set(ACTOR_HEADER, headerText(dated(actor)));
    return stub().fetch(marked);
  };
  const commands = mapCommands((name, { once }) => (actor, ...args) => {
    const ask = (): Promise<unknown> => stub().command(name, dated(actor), args);
    return once === true ? ask() : twice(ask);
  });
  return {
    ...commands,
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
    version: actor.version,
    ticket: actor.ticket,
    ticketAt: actor.ticketAt,
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

/** Returns the refusal in an answer of `stream` or `connect`; other content must not leave the server. */
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
