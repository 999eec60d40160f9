import { exports } from "cloudflare:workers";
import { expect } from "vitest";

/** The real worker and its sessions, as whoever sends nonsense meets them: by HTTP and by a bare socket. */

export interface Logged {
  readonly seq: number;
  readonly run: string | null;
  readonly kind: string;
  readonly body: { readonly [name: string]: unknown };
}
export interface Frame {
  readonly type: string;
  readonly [name: string]: unknown;
}

const JSON_TYPE = { "content-type": "application/json" };

export const ask = (path: string, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(new Request(`http://localhost${path}`, init));

/** POST …/messages with a body as it stands. */
export const post = (
  session: string,
  body: BodyInit,
  headers: Record<string, string> = JSON_TYPE,
): Promise<Response> => ask(`/api/sessions/${session}/messages`, { method: "POST", body, headers });

/** `[status, code]`; the code of what is accepted is null. The body of every refusal has one shape. */
export async function verdict(response: Response): Promise<[number, string | null]> {
  const body: unknown = await response.json();
  if (response.status < 400) return [response.status, null];
  const error = { code: expect.any(String), message: expect.any(String), requestId: expect.any(String) };
  expect(body).toMatchObject({ error });
  expect(JSON.stringify(body)).not.toMatch(/RangeError|call stack|\bat \w+ \(|SQLITE|ZodError/);
  return [response.status, (body as { error: { code: string } }).error.code];
}

/** Every row of the session, by pages. */
export async function log(session: string): Promise<Logged[]> {
  const rows: Logged[] = [];
  for (;;) {
    const response = await ask(`/api/sessions/${session}/events?after=${rows.length}&limit=1000`);
    if (response.status === 404) return rows;
    const page: { items: Logged[]; more: boolean } = await response.json();
    rows.push(...page.items);
    if (!page.more) return rows;
  }
}

const ANSWERED = [
  "user_message",
  "run_queued",
  "run_started",
  "step_started",
  "model_replied",
  "review",
  "answer",
  "run_ended",
];

/** Resolves when no run is at work or waits in the queue. */
export async function untilIdle(session: string): Promise<void> {
  const accept = { accept: "text/event-stream" };
  await (await ask(`/api/sessions/${session}/events?until=idle`, { headers: accept })).text();
}

/** Says something to an idle session and reads the run's stream to its end: the rows that it made, and the answer. */
export async function work(session: string, text: string): Promise<{ rows: Logged[]; answer: string }> {
  await untilIdle(session);
  const before = (await log(session)).length;
  const response = await post(session, JSON.stringify({ text }), {
    ...JSON_TYPE,
    accept: "text/event-stream",
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(/data: \[DONE\]\n\n$/);
  const rows = (await log(session)).slice(before);
  expect(rows.map((row) => row.seq)).toEqual(rows.map((_, at) => before + at + 1));
  expect(rows.at(-1)?.kind).toBe("run_ended");
  return { rows, answer: String(rows.findLast((row) => row.kind === "answer")?.body["text"]) };
}

/** The same session answers a plain message, whole and at once. */
export async function expectAlive(session: string): Promise<void> {
  const { rows, answer } = await work(session, "/say Still here.");
  expect([rows.map((row) => row.kind), answer]).toEqual([ANSWERED, "Still here."]);
}

/** A socket without a client behind it: frames as they came, in order. */
export class RawSocket {
  readonly frames: Frame[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  readonly #socket: WebSocket;
  #look = (): void => {};
  #marks = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.frames.push(data === "pong" ? { type: "pong" } : (JSON.parse(String(data)) as Frame));
      this.#look();
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
      this.#look();
    });
    socket.accept();
  }

  send(frame: string | ArrayBuffer | object): void {
    const raw = typeof frame === "string" || frame instanceof ArrayBuffer;
    this.#socket.send(raw ? frame : JSON.stringify(frame));
  }

  /** Resolves when the condition holds or the socket is closed. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && this.closed === null)
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
  }

  /** Sends frames, and a last one whose answer shows that all before it were answered: what came in between. */
  async answers(...frames: (string | object)[]): Promise<Frame[]> {
    const from = this.frames.length;
    this.#marks += 1;
    const id = `mark-${this.#marks}`;
    for (const frame of frames) this.send(frame);
    this.send({ type: "rpc", id, method: "mark" });
    const isMark = (frame: Frame): boolean => frame.type === "rpc" && frame["id"] === id;
    await this.until(() => this.frames.some(isMark));
    if (this.closed !== null) throw new Error(`closed with ${this.closed.code} ${this.closed.reason}`);
    return this.frames.slice(from).filter((frame) => !isMark(frame));
  }

  async closing(): Promise<{ readonly code: number; readonly reason: string } | null> {
    await this.until(() => false);
    return this.closed;
  }

  close(): void {
    this.#socket.close(1000, "done");
  }
}

/** Opens a socket and waits for its greeting, unless it is refused. */
export async function connect(session: string): Promise<RawSocket> {
  const response = await ask(`/agents/session/${session}`, { headers: { upgrade: "websocket" } });
  if (response.webSocket === null) throw new Error(`not upgraded: ${response.status}`);
  const socket = new RawSocket(response.webSocket);
  await socket.until(() => socket.frames.some(({ type }) => type === "cf_agent_chat_messages"));
  return socket;
}

/** The code that a native or stock frame was refused with, whichever way refusals of its kind come. */
export function refusalOf(frame: Frame | undefined): [string, unknown] | null {
  if (frame === undefined) return null;
  if (frame.type === "cf_agent_use_chat_response") return [frame.type, frame["body"]];
  const error = frame["error"];
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : error;
  expect(JSON.stringify(frame)).not.toMatch(/RangeError|call stack|\bat \w+ \(|ZodError/);
  return [frame.type, code];
}
