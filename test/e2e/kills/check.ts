import * as z from "zod";
import { fetchLog, type Logged } from "../clients/log.ts";
import type { Arrived } from "../clients/webhook-receiver.ts";
import type { Book, Promised } from "./book.ts";

/** Promises from earlier lives that the running server breaks. */
export interface Findings {
  /** one sentence for each broken promise */
  readonly broken: readonly string[];
  /** how many promises were looked at */
  readonly compared: number;
}

const listSchema = z.object({
  items: z.array(z.object({ id: z.string() })),
  nextCursor: z.string().nullable(),
});
const inboxSchema = z.object({ items: z.array(z.object({ sessionId: z.string() })) });
const schedulesSchema = z.object({ items: z.array(z.object({ id: z.string() })) });

/** Looks at these sessions, and whether any that was deleted is listed. `told` is what webhooks have told so far. */
export async function check(
  url: string,
  book: Book,
  sessions: Iterable<readonly [name: string, promised: Promised]>,
  told: readonly Arrived[],
): Promise<Findings> {
  const broken: string[] = [];
  let compared = 0;
  // Taken before anything is read: sessions go on by themselves meanwhile, and tell of entries that come after that.
  const entriesTold = told.map(entryOf);
  const expectTrue = (kept: boolean, otherwise: string): void => {
    compared += 1;
    if (!kept) broken.push(otherwise);
  };
  const get = (path: string): Promise<Response> => fetch(`${url}/api/${path}`);
  const json = async (path: string): Promise<unknown> => (await get(path)).json();

  const listed = await listAll(json);
  const waiting = inboxSchema.parse(await json("approvals?state=pending&limit=100")).items;
  for (const name of book.deleted()) {
    expectTrue(!listed.has(name), `${name} was deleted and is in the list`);
    const asks = waiting.some(({ sessionId }) => sessionId === name);
    expectTrue(!asks, `${name} was deleted and its approval waits`);
  }
  for (const [name, promised] of sessions) {
    if (promised.deletion === "answered") {
      const { status } = await get(`sessions/${name}`);
      expectTrue(status === 404, `${name} was deleted and answers ${status}`);
    }
    // A deletion without an answer promises nothing.
    if (promised.deletion !== "none" || !promised.made) continue;
    const log = await fetchLog(url, name);
    for (const [seq, { entry, by }] of promised.shown) {
      const kept = JSON.stringify(log[seq - 1]) === JSON.stringify(entry);
      expectTrue(kept, `${name}: row ${seq} (${entry.kind}) was shown by ${by}, and the log lacks it`);
    }
    for (const [kind, field, value] of promised.entries) {
      const kept = log.some((entry) => entry.kind === kind && entry.body[field] === value);
      expectTrue(kept, `${name}: ${kind} ${value} was answered, and the log lacks it`);
    }
    for (const { session, seq, at, type } of entriesTold) {
      if (session !== name) continue;
      expectTrue(timeOf(log[seq - 1]) === at, `${name}: ${type} told of row ${seq}, and the log lacks it`);
    }
    if (promised.schedules.size === 0) continue;
    const { items } = schedulesSchema.parse(await json(`sessions/${name}/schedules`));
    for (const id of promised.schedules)
      expectTrue(
        items.some((item) => item.id === id),
        `${name}: its schedule ${id} is gone`,
      );
  }
  return { broken, compared };
}

async function listAll(json: (path: string) => Promise<unknown>): Promise<ReadonlySet<string>> {
  const listed = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = listSchema.parse(await json(`sessions?limit=100${after}`));
    for (const { id } of page.items) listed.add(id);
    cursor = page.nextCursor;
  }
  return listed;
}

/** Which entry of which session a webhook tells of: `<session>.<seq>.<time>`, and `.run` for the second of one entry. */
function entryOf({ id, type }: Arrived): { session: string; seq: number; at: number; type: string } {
  const [, session = "", seq, at] = /^(.*)\.(\d+)\.(\d+)(?:\.run)?$/.exec(id) ?? [];
  return { session, seq: Number(seq), at: Number(at), type };
}

const timeOf = (entry: Logged | undefined): number | null =>
  entry === undefined ? null : Date.parse(entry.at);
