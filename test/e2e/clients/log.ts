import * as z from "zod";
import { Connection } from "../../../src/cli/chat/connection.ts";
import { openSocket } from "../../../src/cli/chat/socket.ts";

/** The log of a session as an outsider reads it, and what the tests ask of it. */

export const entrySchema = z.looseObject({
  seq: z.number(),
  /** ISO 8601, to the millisecond */
  at: z.string(),
  run: z.string().nullable(),
  step: z.string().nullable(),
  kind: z.string(),
  body: z.looseObject({}),
});
export type Logged = z.infer<typeof entrySchema>;
const page = z.object({ items: z.array(entrySchema), more: z.boolean() });

/** Every entry of the session, by `GET …/events`. */
export async function fetchLog(url: string, session: string): Promise<Logged[]> {
  const log: Logged[] = [];
  for (;;) {
    const after = log.at(-1)?.seq ?? 0;
    const response = await fetch(`${url}/api/sessions/${session}/events?after=${after}&limit=1000`);
    if (response.status !== 200) throw new Error(`events: ${response.status} ${await response.text()}`);
    const { items, more } = page.parse(await response.json());
    log.push(...items);
    if (!more) return log;
  }
}

export const ofKind = (log: readonly Logged[], kind: string) => log.filter((each) => each.kind === kind);

/** The text of the last answer. */
export function answerOf(log: readonly Logged[]): string {
  return z.object({ text: z.string() }).parse(ofKind(log, "answer").at(-1)?.body).text;
}

const proposed = z.object({
  calls: z.array(z.object({ call: z.string(), tool: z.string(), effect: z.string(), gate: z.string() })),
});
const settled = z.object({ call: z.string(), tool: z.string(), status: z.string() });
const decided = z.object({ call: z.string(), decision: z.string() });

export interface LoggedCall {
  readonly call: string;
  readonly tool: string;
  readonly effect: string;
  readonly gate: string;
  /** seq of its first intent, or null when it never ran */
  readonly intended: number | null;
  readonly status: string | null;
  /** how often it was settled */
  readonly results: number;
  /** seq of an approval's yes before it, or null */
  readonly approved: number | null;
}

/** The calls that the model proposed, in order, with what became of each. */
export function callsOf(log: readonly Logged[]): LoggedCall[] {
  const results = ofKind(log, "call_settled").map((each) => settled.parse(each.body));
  const yes = ofKind(log, "approval_decided").map((each) => ({ seq: each.seq, ...decided.parse(each.body) }));
  return ofKind(log, "model_replied").flatMap((each) =>
    proposed.parse(each.body).calls.map((call) => ({
      ...call,
      intended: ofKind(log, "call_intended").find((intent) => intent.body["call"] === call.call)?.seq ?? null,
      status: results.find((result) => result.call === call.call)?.status ?? null,
      results: results.filter((result) => result.call === call.call).length,
      approved: yes.find((vote) => vote.call === call.call && vote.decision === "approve")?.seq ?? null,
    })),
  );
}

/** Says something by HTTP, under an id of its own if it has one; answers with the id of the run. */
export async function say(url: string, session: string, text: string, id?: string): Promise<string> {
  const response = await fetch(`${url}/api/sessions/${session}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text, id }),
  });
  if (response.status !== 202) throw new Error(`messages: ${response.status} ${await response.text()}`);
  return z.object({ runId: z.string() }).parse(await response.json()).runId;
}

/** Watches the entries of a session over a socket, across restarts of the server. */
export interface Watcher {
  readonly seqs: number[];
  /** those that came, in order */
  readonly entries: readonly Logged[];
  /** resolves with the first entry of a kind that comes from now on, or came before */
  saw(kind: string, matches?: (entry: Logged) => boolean): Promise<Logged>;
  close(): void;
}

/** Resolves when the socket is open and subscribed from the log's head; `heard` is told of each entry that comes. */
export function watch(
  url: string,
  session: string,
  heard: (entry: Logged) => void = () => {},
): Promise<Watcher> {
  const entries: Logged[] = [];
  let waiting: { readonly test: (entry: Logged) => boolean; readonly found: (entry: Logged) => void }[] = [];
  const watcher: Watcher = {
    seqs: [],
    entries,
    saw(kind, matches = () => true) {
      const test = (each: Logged) => each.kind === kind && matches(each);
      const before = entries.find(test);
      return before !== undefined
        ? Promise.resolve(before)
        : new Promise((found) => {
            waiting.push({ test, found });
          });
    },
    close: () => connection.close(),
  };
  let opened: (watcher: Watcher) => void = () => {};
  let failed: (error: Error) => void = () => {};
  const connection = new Connection({
    open: () => openSocket(url, session, null),
    later(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    id: () => crypto.randomUUID(),
    onEvent(event) {
      if (event.kind === "hello") opened(watcher);
      if (event.kind === "over")
        failed(new Error(`the socket was closed with ${event.code} ${event.reason}`));
      if (event.kind !== "entry") return;
      const parsed = entrySchema.parse(event.entry);
      heard(parsed);
      entries.push(parsed);
      watcher.seqs.push(parsed.seq);
      const found = waiting.filter((each) => each.test(parsed));
      waiting = waiting.filter((each) => !found.includes(each));
      for (const each of found) each.found(parsed);
    },
  });
  return new Promise((resolve, reject) => {
    opened = resolve;
    failed = reject;
    connection.connect();
  });
}
