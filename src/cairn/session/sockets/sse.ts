import { localRun } from "../../core/log/names.ts";
import { nextQueued } from "../../core/state/queue.ts";
import { type State } from "../../core/state/state.ts";
import { waitsForPerson } from "../../core/state/run/phase.ts";
import { chunksAfter, type RunStream } from "../../protocol/stream/stream.ts";
import type { DataChunk } from "../../protocol/stream/ui-chunk.ts";
import { eventOf } from "../../protocol/views.ts";
import { loadEvents, readableBy, type Log } from "../api/log-reader.ts";
import type { Callers } from "../commands/callers.ts";
import { type Actor, type ApiError, type Scope, allows } from "../api/session-api.ts";
import type { LiveRuns } from "./live-runs.ts";
import { EventStream, UNIT_BYTES, type Source } from "./sse-body.ts";

/**
 * Server-sent events inside the object: the log and the UI message stream of a run. Every reader has
 * a cursor into the log or the run and is given only what it has room for, so a slow one costs nothing but its cursor.
 * A stream ends with the grant of who reads it, and when nothing has happened for a while; its reader goes on with
 * `Last-Event-ID` where it stopped.
 */
export interface StreamsDeps {
  readonly session: string;
  readonly store: Log;
  readonly state: () => State;
  /** why this actor may not be here, or null */
  readonly api: { admit(actor: Actor, scope: Scope): ApiError | null };
  readonly live: LiveRuns;
  readonly clock: () => number;
  readonly callers: Callers;
}

export class SessionStreams {
  readonly #deps: StreamsDeps;
  readonly #open = new Set<EventStream>();

  constructor(deps: StreamsDeps) {
    this.#deps = deps;
  }

  get watched(): boolean {
    return this.#open.size > 0;
  }

  /**
   * `GET /stream/events?after=<seq>&until=idle` and `GET /stream/run?run=<runId>/live&after=<pos>&part=first/last/whole`, or
   * null for any other request. Header `Last-Event-ID` beats `after`. A refusal is a ApiError in JSON under its status;
   * `run=live` answers 204 when no run is queued or working. `whole` joins the segments of the run to one message.
   */
  fetchStream(request: Request, actor: Actor): Promise<Response> | null {
    const url = new URL(request.url);
    if (request.method !== "GET") return null;
    if (url.pathname !== "/stream/events" && url.pathname !== "/stream/run") return null;
    return this.#stream(url, request.headers.get("last-event-id"), actor);
  }

  /** New entries or chunks are there; `transients` are the changed values that are not stored. */
  published(transients: readonly DataChunk[]): void {
    for (const stream of this.#open) stream.pump(transients);
  }

  /** The session is gone. */
  dismiss(): void {
    for (const stream of this.#open) stream.end();
  }

  async #stream(url: URL, lastEventId: string | null, actor: Actor): Promise<Response> {
    const query = url.searchParams;
    if (!actor.scopes.includes("read") && !actor.scopes.includes("admin")) {
      return refusal({
        status: 403,
        code: "missing_scope",
        message: "Reading a stream needs the scope read.",
      });
    }
    const refused = this.#deps.api.admit(actor, "read");
    if (refused !== null) return refusal(refused);
    const cursor = lastEventId ?? query.get("after");
    const after = cursor === null || cursor === "" ? 0 : Number(cursor);
    if (!Number.isSafeInteger(after) || after < 0) {
      return refusal({ status: 400, code: "invalid_request", message: "after is a whole number from 0." });
    }
    if (url.pathname === "/stream/events") {
      const source = new LogSource(this.#deps, actor, after, query.get("until") === "idle");
      return this.#respond(source, actor, {});
    }
    const name = query.get("run") ?? "";
    const run = name === "live" ? workingRun(this.#deps.state()) : localRun(this.#deps.session, name);
    if (run === null && name === "live") return new Response(null, { status: 204 });
    const stream = run === null ? null : this.#deps.live.stream(run, allows(actor, "admin"));
    if (run === null || stream === null) {
      return refusal({ status: 404, code: "not_found", message: "No such run." });
    }
    this.#deps.live.release(run);
    const part = query.get("part");
    const source =
      part === "whole"
        ? new WholeSource(stream, after)
        : new SegmentSource(stream, after, part === "first" ? 0 : stream.segments.length - 1);
    return this.#respond(source, actor, { "x-vercel-ai-ui-message-stream": "v1" });
  }

  #respond(source: Source, actor: Actor, headers: { readonly [name: string]: string }): Response {
    const { clock, callers } = this.#deps;
    const stranger = callers.knows(actor) ? null : callers.edition;
    const stream = new EventStream(source, {
      left: (ended) => this.#open.delete(ended),
      // How long the grant still lasts, for as long as the stream may ask.
      leftMs: () => {
        const now = callers.ofConnection(actor, stranger, clock());
        if (now === null || !allows(now, "read")) return 0;
        return now.expiresAt === undefined ? Number.POSITIVE_INFINITY : now.expiresAt - clock();
      },
    });
    this.#open.add(stream);
    stream.pump([]);
    return new Response(stream.body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
        ...headers,
      },
    });
  }
}

/** The entries of the log after a seq. */
class LogSource implements Source {
  readonly greeting = "retry: 2000\n\n";
  readonly #deps: StreamsDeps;
  readonly #actor: Actor;
  readonly #untilIdle: boolean;
  #after: number;

  constructor(deps: StreamsDeps, actor: Actor, after: number, untilIdle: boolean) {
    this.#deps = deps;
    this.#actor = actor;
    this.#after = after;
    this.#untilIdle = untilIdle;
  }

  read(units: number): string[] {
    const { store, state } = this.#deps;
    const log = readableBy(this.#actor, store, state());
    const entries = loadEvents(log, this.#after, units, units * UNIT_BYTES);
    this.#after = entries.at(-1)?.seq ?? this.#after;
    return entries.map((entry) => `id: ${entry.seq}\ndata: ${JSON.stringify(eventOf(entry))}\n\n`);
  }

  transient(): null {
    return null;
  }

  ended(): string | null {
    const { run, queue, head } = this.#deps.state();
    const idle = run === null && queue.length === 0 && this.#after >= head;
    return this.#untilIdle && idle ? "" : null;
  }
}

const DONE = "data: [DONE]\n\n";

/** One segment of a run, there or to come: from its start to its end. */
class SegmentSource implements Source {
  readonly greeting = ": cairn\n\n";
  protected readonly stream: RunStream;
  readonly #index: number;
  #after: number;

  constructor(stream: RunStream, after: number, index = stream.segments.length - 1) {
    this.stream = stream;
    this.#index = Math.max(0, index);
    this.#after = after;
  }

  protected chunks() {
    return this.stream.segments[this.#index]?.chunks ?? [];
  }

  protected closed(): boolean {
    return (this.stream.segments[this.#index]?.end ?? null) !== null;
  }

  read(units: number): string[] {
    const texts: string[] = [];
    let bytes = units * UNIT_BYTES;
    for (const { pos, chunk } of chunksAfter(this.chunks(), this.#after)) {
      if (texts.length >= units || bytes <= 0) break;
      const text = `id: ${pos ?? 0}\ndata: ${JSON.stringify(chunk)}\n\n`;
      texts.push(text);
      bytes -= text.length;
      this.#after = pos ?? this.#after;
    }
    return texts;
  }

  transient(chunk: DataChunk): string | null {
    const begun = this.chunks().length > 0 && !this.closed();
    return begun ? `data: ${JSON.stringify(chunk)}\n\n` : null;
  }

  ended(): string | null {
    return this.closed() && chunksAfter(this.chunks(), this.#after).length === 0 ? DONE : null;
  }
}

/** The whole message of a run, its segments joined, until the newest of them ends. */
class WholeSource extends SegmentSource {
  protected override chunks() {
    return this.stream.whole();
  }

  /** The newest segment decides, also one that has come since. */
  protected override closed(): boolean {
    return this.stream.segments.length > 0 && this.stream.open === null;
  }
}

/** The run that works or will work without anyone's decision. */
function workingRun(state: State): string | null {
  if (state.run !== null) return waitsForPerson(state.run.phase) ? null : state.run.run;
  return nextQueued(state)?.run ?? null;
}

function refusal(error: ApiError): Response {
  return Response.json(error, { status: error.status, headers: { "cache-control": "no-store" } });
}
