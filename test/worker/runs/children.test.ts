import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { sessionClient } from "../../../src/http/kit/session-client.ts";
import { asKind, type Entry } from "../../../src/core/log/entry.ts";
import { outcomeClass } from "../../../src/core/log/run.ts";
import type { Actor, AskedRun } from "../../../src/session/api/session-api.ts";
import { makeSite } from "../cms/fixture.ts";

/** Runs that start runs, each in a Durable Object of its own. */

const ada: Actor = { subject: "alice", scopes: ["read", "send", "approve"], via: "http" };
beforeAll(makeSite);

let messages = 0;
const LEADS: AskedRun = {
  tools: ["run_agent", "page_list", "page_create", "page_delete"],
  profile: "complex",
};

async function say(session: string, text: string, ask: AskedRun = LEADS): Promise<string> {
  const parts = [{ type: "text", text }] as const;
  const command = { parts, mode: null, source: "api", request: null, ask } as const;
  const sent = await sessionClient(env, session).send(ada, { id: `m${++messages}`, ...command });
  if (!sent.ok) throw new Error(sent.error.message);
  return sent.value.runId;
}

async function entriesOf(session: string): Promise<readonly Entry[]> {
  const page = await sessionClient(env, session).events(ada, 0, 1_000);
  return page.ok ? page.value.items : [];
}

/** The log once its last entry is of this kind. */
async function until(session: string, kind: Entry["kind"]): Promise<readonly Entry[]> {
  let entries: readonly Entry[] = [];
  const rests = async (): Promise<boolean> => {
    entries = await entriesOf(session);
    return entries.some((entry) => entry.kind === kind);
  };
  await expect.poll(rests, { timeout: 15_000, interval: 20 }).toBe(true);
  return entries;
}

const of = <Kind extends Entry["kind"]>(entries: readonly Entry[], kind: Kind) =>
  entries.flatMap((entry) => asKind(entry, kind) ?? []).map(({ body }) => body);
const kindsOf = (entries: readonly Entry[]): readonly string[] =>
  entries.map(({ kind }) => kind).filter((kind) => kind !== "verdict");
const call = (input: object): string => `/call run_agent ${JSON.stringify(input)}`;

describe("a run that hands a part to another", () => {
  test("waits for its report, which is the result of the call", async () => {
    await say(
      "tree-one",
      `${call({ objective: "/call page_list {}\n/then\n/say Two pages." })}\n/then\n/say Done.`,
    );
    const entries = await until("tree-one", "run_ended");
    const child = "tree-one~r1s1c0";
    expect(kindsOf(entries)).toEqual([
      ...["user_said", "run_queued", "run_started", "step_started", "model_replied"],
      ...["call_intended", "call_deferred", "child_reported", "call_settled"],
      ...["step_started", "model_replied", "review", "answer", "run_ended"],
    ]);
    expect(of(entries, "child_reported")).toMatchObject([
      { call: "r1s1c0", child, outcome: "completed", answer: "Two pages.", sessions: 1, tainted: false },
    ]);
    expect(of(entries, "call_settled")[0]).toMatchObject({ status: "ok", tool: "run_agent" });
    const below = await entriesOf(child);
    expect(of(below, "run_queued")[0]?.parent).toMatchObject({
      session: "tree-one",
      call: "r1s1c0",
      depth: 1,
    });
    expect(of(below, "run_started")[0]?.grant.map(({ tool }) => tool)).toContain("page_list");
    const ended = of(entries, "run_ended")[0];
    expect(ended?.tree?.sessions).toBe(2);
    expect(outcomeClass(ended?.outcome ?? "skipped")).toBe("answered");
  });
});
