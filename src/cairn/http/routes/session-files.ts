import { ok } from "../../core/log/result.ts";
import type { Hono } from "hono";
import * as z from "zod";
import { type Entry, sourcesIn } from "../../core/log/entry.ts";
import {
  refusal,
  type Actor,
  type ApiResult,
  type CopyPoint,
  type ApiError,
  type IdempotencyKey,
  type Scope,
  type SessionView,
} from "../../session/api/session-api.ts";
import { wellFormedText } from "../../protocol/chat-body.ts";
import { EXPORT_FORMAT, exportSchema, sealed, sealOf } from "../../protocol/session-file.ts";
import { eventOf, type Event } from "../../protocol/views.ts";
import type { Deps } from "../deps.ts";
import { newSessionId, parseIdempotencyKey } from "../kit/idempotency.ts";
import { readFields } from "../kit/parse.ts";
import {
  inSession,
  type Handle,
  type HttpContext,
  type HttpEnv,
  asReplay,
  refuse,
  route,
} from "../kit/route.ts";
import type { SessionClient } from "../kit/session-client.ts";
import { withVersion } from "./session-list.ts";

/**
 * Copies of a session: an export as a file, a session made of such a file, and a fork at a step. All of them carry the
 * entries as they are; nothing of what was live goes on in a copy.
 */

export const forkSchema = z.strictObject({
  atSeq: z.number().int().min(0).optional(),
  title: wellFormedText.pipe(z.string().min(1).max(200)).optional(),
});

const BAD_SEAL = refusal(
  422,
  "bad_export",
  "This is not what a session was exported as.",
  "Import the file as it was written.",
);

export function mountSessionFiles(app: Hono<HttpEnv>, deps: Deps): void {
  const { config, sessions } = deps;

  const exportSession: Handle = async (c, session, actor) => {
    const client = sessions(session);
    const point = await client.copyPoint(actor, "admin", null);
    if (!point.ok) return refuse(c, point.error);
    const names = await client.copyNames(actor, "admin");
    if (!names.ok) return refuse(c, names.error);
    return new Response(streamOf(exported(client, actor, point.value, names.value)), {
      headers: {
        "content-type": "application/json",
        "content-disposition": `attachment; filename="${session}.json"`,
      },
    });
  };

  const importSession = async (c: HttpContext): Promise<Response> => {
    const file = await readFields(c, exportSchema, config.limits.importBytes);
    if (!file.ok) return refuse(c, file.error);
    const { session, stateHash, seal } = file.value;
    if (sealOf(file.value) !== seal) return refuse(c, BAD_SEAL);
    const idempotency = parseIdempotencyKey(c, seal);
    if (!idempotency.ok) return refuse(c, idempotency.error);
    const client = sessions(newSessionId(idempotency.value, deps.newId));
    const actor = c.var.actor;
    const before = await recalled(client, actor, idempotency.value);
    if (!before.ok) return refuse(c, before.error);
    if (before.value !== null) return made(before.value, true);
    const taken = await adoptAll(client, actor, file.value);
    const { title, titleSource, metadata } = session;
    const settled = !taken.ok
      ? taken
      : await client.settle(actor, {
          title,
          titleSource,
          metadata,
          model: null,
          forkedFrom: null,
          imported: true,
          stateHash,
          idempotency: idempotency.value,
        });
    return settled.ok ? made(settled.value, false) : meanwhile(c, client, idempotency.value, settled.error);
  };

  const fork: Handle = async (c, from, actor) => {
    const fields = await readFields(c, forkSchema, config.limits.bodyBytes);
    if (!fields.ok) return refuse(c, fields.error);
    const idempotency = parseIdempotencyKey(c, fields.value);
    if (!idempotency.ok) return refuse(c, idempotency.error);
    const { atSeq = Number.MAX_SAFE_INTEGER, title } = fields.value;
    const parent = sessions(from);
    const point = await parent.copyPoint(actor, "send", atSeq);
    if (!point.ok) return refuse(c, point.error);
    const child = sessions(newSessionId(idempotency.value, deps.newId));
    const before = await recalled(child, actor, idempotency.value);
    if (!before.ok) return refuse(c, before.error);
    if (before.value !== null) return made(before.value, true);
    const { session, upTo, stateHash } = point.value;
    const copied = await copy(parent, child, actor, upTo);
    const { model, targets, metadata } = session;
    const settled = !copied.ok
      ? copied
      : await child.settle(actor, {
          title: title ?? session.title,
          titleSource: title === undefined ? session.titleSource : "user",
          metadata,
          targets,
          model: config.modelName === model ? null : model,
          forkedFrom: { sessionId: from, seq: upTo },
          imported: session.imported,
          stateHash,
          idempotency: idempotency.value,
        });
    return settled.ok ? made(settled.value, false) : meanwhile(c, child, idempotency.value, settled.error);
  };

  route(app, "/api/sessions/import", {
    POST: {
      scopes: ["admin"],
      summary: "Makes a session from an export.",
      body: exportSchema,
      answers: { 201: "Session" },
      handle: importSession,
    },
  });
  route(app, "/api/sessions/:id/export", {
    GET: {
      scopes: ["admin"],
      summary: "Exports the session as one file.",
      answers: { 200: "Export" },
      handle: inSession(exportSession),
    },
  });
  route(app, "/api/sessions/:id/fork", {
    POST: {
      scopes: ["send"],
      summary: "Copies the log up to a step into a new session.",
      body: forkSchema,
      answers: { 201: "Session" },
      handle: inSession(fork),
    },
  });
}

/** Returns the result of an earlier request with the same key, or null. */
async function recalled(
  client: SessionClient,
  actor: Actor,
  idempotency: IdempotencyKey | null,
): Promise<ApiResult<SessionView | null>> {
  return idempotency === null ? ok(null) : client.recall(actor, idempotency);
}

/** A refusal, unless the same request has made the session while this one was at it. */
async function meanwhile(
  c: HttpContext,
  client: SessionClient,
  idempotency: IdempotencyKey | null,
  error: ApiError,
): Promise<Response> {
  const before = error.code === "id_taken" ? await recalled(client, c.var.actor, idempotency) : ok(null);
  return before.ok && before.value !== null ? made(before.value, true) : refuse(c, error);
}

async function adoptAll(
  client: SessionClient,
  actor: Actor,
  { entries, blobs }: z.output<typeof exportSchema>,
): Promise<ApiResult<null>> {
  for (const page of pagesOf(entries as unknown as readonly Event[])) {
    const taken = await client.adopt(actor, page.map(entryOf), []);
    if (!taken.ok) return taken;
  }
  for (const blob of Object.entries(blobs)) {
    const taken = await client.adopt(actor, [], [blob]);
    if (!taken.ok) return taken;
  }
  return ok(null);
}

function made(session: SessionView, replayed: boolean): Response {
  const headers = { location: `/api/sessions/${session.id}` };
  return withVersion(asReplay(Response.json(session, { status: 201, headers }), replayed), session);
}

/** The file in pieces, as it is read. A session that grows meanwhile is exported as it was. */
async function* exported(
  client: SessionClient,
  actor: Actor,
  { session, upTo, stateHash }: CopyPoint,
  names: readonly string[],
): AsyncGenerator<string> {
  let seal = sealed("", session);
  yield `{"format":"${EXPORT_FORMAT}","session":${JSON.stringify(session)},"entries":[`;
  let comma = "";
  for await (const entries of entriesOf(client, actor, "admin", upTo)) {
    const events = entries.map(eventOf);
    for (const event of events) seal = sealed(seal, event);
    yield comma + events.map((event) => JSON.stringify(event)).join(",\n");
    comma = ",\n";
  }
  yield '],"blobs":{';
  comma = "";
  for (const name of names) {
    const text = unwrap(await client.copyText(actor, "admin", name));
    seal = sealed(seal, [name, text]);
    yield `${comma}${JSON.stringify(name)}:${JSON.stringify(text)}`;
    comma = ",";
  }
  yield `},"stateHash":"${stateHash}","seal":"${sealed(seal, stateHash)}"}\n`;
}

async function* entriesOf(
  client: SessionClient,
  actor: Actor,
  scope: Scope,
  upTo: number,
): AsyncGenerator<readonly Entry[]> {
  let after = 0;
  while (after < upTo) {
    const entries = unwrap(await client.copyEntries(actor, scope, after, upTo));
    if (entries.length === 0) return;
    yield entries;
    after = entries.at(-1)?.seq ?? upTo;
  }
}

/** Copies the entries up to a seq, and the texts stored separately from them. */
async function copy(
  parent: SessionClient,
  child: SessionClient,
  actor: Actor,
  upTo: number,
): Promise<ApiResult<null>> {
  const reported = new Set<string>();
  for await (const entries of entriesOf(parent, actor, "send", upTo)) {
    for (const entry of entries) for (const name of namedIn(entry)) reported.add(name);
    const taken = await child.adopt(actor, entries, []);
    if (!taken.ok) return taken;
  }
  const names = unwrap(await parent.copyNames(actor, "send"));
  for (const name of names) {
    // Those of what came after the cut stay behind.
    if (!reported.has(name.replace(/^blob:(.*)\/\d+$/, "$1"))) continue;
    const text = unwrap(await parent.copyText(actor, "send", name));
    const taken = await child.adopt(actor, [], [[name, text]]);
    if (!taken.ok) return taken;
  }
  return ok(null);
}

/** Names under which an entry may have a text apart: its message, its call, the pages that it has read. */
function namedIn(entry: Entry): readonly string[] {
  if (entry.kind === "user_message") return [entry.body.id];
  if (entry.kind !== "call_settled" && entry.kind !== "child_reported") return [];
  return [entry.body.call, ...(sourcesIn(entry)?.pages ?? []).map(({ page }) => page)];
}

const PAGE_CHARS = 1_000_000;

/** Entries in portions that one call to a session may carry. */
function* pagesOf(events: readonly Event[]): Generator<readonly Event[]> {
  let page: Event[] = [];
  let chars = 0;
  for (const event of events) {
    page.push(event);
    chars += JSON.stringify(event).length;
    if (chars < PAGE_CHARS) continue;
    yield page;
    page = [];
    chars = 0;
  }
  if (page.length > 0) yield page;
}

const entryOf = ({ at, ...event }: Event): Entry => ({ ...event, at: Date.parse(at) });

/**
 * Unwraps the answer of a session that has just admitted the request. A refusal now is a fault, and aborts the file.
 */
function unwrap<Value>(result: ApiResult<Value>): Value {
  if (!result.ok) throw new Error(`a copy was refused: ${result.error.code}`);
  return result.value;
}

function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece: IteratorResult<string, unknown> = await pieces.next();
      if (piece.done === true) controller.close();
      else controller.enqueue(encoder.encode(piece.value));
    },
    cancel: () => void pieces.return(undefined),
  });
}
