import * as z from "zod";
import { definePack, defineTool, type ToolContext } from "../../../src/cairn/tools/define.ts";
import type { Effect, Phase, ToolReport } from "./plan.ts";

/** Tools of every class whose effects can be counted, in D1 and at a server of the test, which can hold each of them. */

export interface ProbeEnv {
  readonly DB: D1Database;
  /** the server of the test, without a slash at the end */
  readonly PROBE_URL: string;
}

interface Services {
  readonly db: D1Database;
  readonly url: string;
}

type Context = ToolContext<Services>;

const input = z.object({ step: z.int(), index: z.int() });
const receiptSchema = z.object({ receipt: z.string() });
/** longer than any test holds a call */
const HELD_MS_MAX = 300_000;

async function post(path: string, phase: Phase, context: Context): Promise<unknown> {
  const { call, key, attempt, signal, services, facts } = context;
  const report: ToolReport = { session: facts.session, call, key, attempt, phase };
  const response = await fetch(`${services.url}/${path}`, {
    method: "POST",
    headers: { "idempotency-key": key },
    body: JSON.stringify(report),
    signal,
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** Waits until the test lets this call go on. */
const reach = (phase: Phase, context: Context): Promise<unknown> => post("reach", phase, context);

// No uniqueness in the table: if the key were not honoured, a second row would show it.
const TABLES = [
  "CREATE TABLE IF NOT EXISTS probe_attempts (call TEXT NOT NULL, session TEXT NOT NULL, attempt INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS probe_effects (key TEXT NOT NULL, session TEXT NOT NULL, call TEXT NOT NULL, receipt TEXT NOT NULL)",
];

/** A row in D1 for the first time under its key; the receipt of that row every time. */
async function storeOnce({ key, call, attempt, services: { db }, facts }: Context): Promise<string> {
  const [, , found] = await db.batch<{ receipt: string }>([
    db.prepare("INSERT INTO probe_attempts VALUES (?1, ?2, ?3)").bind(call, facts.session, attempt),
    db
      .prepare(
        "INSERT INTO probe_effects SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM probe_effects WHERE key = ?1)",
      )
      .bind(key, facts.session, call, crypto.randomUUID()),
    db.prepare("SELECT receipt FROM probe_effects WHERE key = ?1").bind(key),
  ]);
  return receiptSchema.parse(found?.results[0]).receipt;
}

async function runInDatabase(_input: unknown, context: Context): Promise<{ receipt: string }> {
  await reach("before", context);
  const receipt = await storeOnce(context);
  await reach("after", context);
  return { receipt };
}

const common = { version: 1, input, timeoutMs: HELD_MS_MAX } as const;

export const probePack = definePack<ProbeEnv, Services>({
  name: "probe",
  prompts: [],
  services: ({ DB, PROBE_URL }) => ({ db: DB, url: PROBE_URL }),
  ready: async ({ DB }) => void (await DB.batch(TABLES.map((table) => DB.prepare(table)))),
  tools: [
    defineTool<Services, typeof input, unknown>({
      ...common,
      name: "probe_read",
      title: "Read",
      description: "Reads.",
      effect: "read",
      tier: "open",
      run: (_, context) => post("read", "before", context),
    }),
    defineTool<Services, typeof input, { receipt: string }>({
      ...common,
      name: "probe_store",
      title: "Store",
      description: "Writes into the database.",
      effect: "keyed",
      tier: "write",
      run: runInDatabase,
    }),
    defineTool<Services, typeof input, { receipt: string }>({
      ...common,
      name: "probe_post",
      title: "Post",
      description: "Writes over HTTP, once for each key.",
      effect: "keyed",
      tier: "write",
      run: async (_, context) => receiptSchema.parse(await post("keyed", "before", context)),
    }),
    defineTool<Services, typeof input, { receipt: string }>({
      ...common,
      name: "probe_send",
      title: "Send",
      description: "Writes over HTTP, every time that it is called.",
      effect: "once",
      tier: "write",
      run: async (_, context) => receiptSchema.parse(await post("once", "before", context)),
    }),
    defineTool<Services, typeof input, { receipt: string }>({
      ...common,
      name: "probe_publish",
      title: "Publish",
      description: "Writes into the database when a person says yes.",
      effect: "keyed",
      tier: "publish",
      preview: async (_, context) => {
        await reach("preview", context);
        const need = { kind: "ask", reason: "It always asks." } as const;
        return { need, title: "Publish", summary: "Publishes.", impact: [], basis: null };
      },
      run: runInDatabase,
    }),
  ],
});

/** Effects and attempts stored in D1. */
export async function readEffects({ DB }: ProbeEnv): Promise<Response> {
  const effects = await DB.prepare("SELECT session, call, key, receipt FROM probe_effects").all<Effect>();
  const attempts = await DB.prepare("SELECT session, call, attempt FROM probe_attempts").all();
  return Response.json({ effects: effects.results, attempts: attempts.results });
}
