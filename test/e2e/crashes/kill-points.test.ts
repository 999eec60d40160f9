import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { callsOf, fetchLog, ofKind, say, type Logged } from "../clients/log.ts";
import { toCallOptions } from "../clients/openai-messages.ts";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { startEffectServer, type EffectServer } from "../probe/effect-server.ts";
import { planModel, readPrompt } from "../probe/fake-model.ts";
import { messageOf, runStress, type Evidence } from "../probe/stress.ts";
import { ANSWER, PLAN, RUN, type Effect } from "../probe/plan.ts";
import { awaitsPerson, isEnd, SESSIONS } from "../probe/points.ts";
import { Harness } from "../probe/harness.ts";
import { wireCallId } from "../../../src/cairn/models/call-id.ts";
import { useServer } from "../clients/server.ts";

/**
 * Ten sessions work a plan of ten steps each, and the whole process group is killed again and again, each time with
 * every session at a point of its run that was chosen before (probe/points.ts). Then: what is in the logs, in D1 and at
 * the test's own servers must fit together.
 */

const harness = new Harness();
let model: OpenAiServer;
let outside: EffectServer;
beforeAll(async () => {
  outside = await startEffectServer(harness);
  model = await startOpenAiServer({
    model: planModel,
    gate({ request, piece, last }) {
      const { session, step } = promptOf(request - 1);
      return harness.arrive(session, { at: "model", effect: `${RUN}s${step}`, step, piece, last });
    },
  });
});
afterAll(async () => {
  outside.close();
  await model.close();
});

const server = useServer(
  () => [
    "MODEL:openai-compatible:plan",
    // The test counts model requests, so turn titles off.
    "TITLES:0",
    `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
    `PROBE_URL:${outside.url}`,
  ],
  "test/e2e/probe/worker.ts",
);

const stored = z.object({
  effects: z.array(z.object({ session: z.string(), call: z.string(), key: z.string(), receipt: z.string() })),
  attempts: z.array(z.object({ session: z.string(), call: z.string(), attempt: z.number() })),
});
const receiptOf = (observation: unknown): string =>
  z.object({ receipt: z.string() }).parse(JSON.parse(String(observation))).receipt;

let evidence: Evidence;
const logs = new Map<string, Logged[]>();
let effects: readonly Effect[] = [];
let attempts: z.infer<typeof stored>["attempts"] = [];
beforeAll(async () => {
  evidence = await runStress(server, harness, () => Promise.all([model.hangUp(), outside.hangUp()]));
  for (const session of SESSIONS) logs.set(session, await fetchLog(server.url, session));
  const inDatabase = stored.parse(await (await fetch(`${server.url}/probe/effects`)).json());
  effects = [...outside.effects, ...inDatabase.effects];
  attempts = [
    ...inDatabase.attempts,
    ...outside.requests.filter(({ path }) => path === "keyed" || path === "once"),
  ];
}, 300_000);

/** Session and step of a model request, counted from 0. */
function promptOf(request: number): ReturnType<typeof readPrompt> {
  const asked = model.requests[request];
  if (asked === undefined) throw new Error(`the model was not asked ${request + 1} times`);
  return readPrompt(toCallOptions(asked).prompt);
}

/** Every call of the plan, with its result in the log and what it did outside. */
function outcomes() {
  return SESSIONS.flatMap((session) => {
    const log = logs.get(session) ?? [];
    return callsOf(log).map((call) => {
      const result = ofKind(log, "call_settled").find(({ body }) => body["call"] === call.call);
      const mine = (each: { session: string; call: string }) =>
        each.session === session && each.call === call.call;
      return {
        ...call,
        session,
        observation: result?.body["observation"],
        effects: effects.filter(mine),
        attempts: attempts.filter(mine).length,
      };
    });
  });
}

const unknowns = () => outcomes().filter(({ status }) => status === "unknown");

test("each of at least 40 kills hit a run where it was to be hit", () => {
  expect(evidence.hits.length).toBeGreaterThanOrEqual(40);
  for (const session of SESSIONS) {
    const lost = ofKind(logs.get(session) ?? [], "attempt_lost").map(({ body }) => body["effect"]);
    const held = evidence.hits.filter((hit) => hit.session === session).flatMap((hit) => hit.held);
    // Each held effect was lost as often as it was held; what was raced may add to it.
    const missing = held.filter((effect) => count(lost, effect) < count(held, effect));
    expect(missing, session).toEqual([]);
  }
});

test.each(SESSIONS)("%s has one end, no gap, and one result for each call of the plan", (session) => {
  const log = logs.get(session) ?? [];
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  expect(ofKind(log, "run_ended").map(({ body }) => body["outcome"])).toEqual(["completed"]);
  expect(log.at(-1)?.kind).toBe("run_ended");
  expect(ofKind(log, "answer").map(({ body }) => body["text"])).toEqual([ANSWER]);
  const calls = callsOf(log);
  expect(calls.map(({ tool }) => tool)).toEqual(PLAN.flat());
  expect(calls.map(({ results }) => results)).toEqual(PLAN.flat().map(() => 1));
  const asking = calls.filter(({ gate }) => gate === "ask");
  expect(asking.map(({ tool }) => tool)).toEqual(["probe_publish", "probe_publish"]);
  for (const { approved, intended } of asking) expect(approved).toBeLessThan(intended ?? 0);
  expect(ofKind(log, "approval_requested")).toHaveLength(2);
  expect(ofKind(log, "approval_decided")).toHaveLength(2);
});

test("a read and a keyed call always come to a result, and only a once call that was hit to none", () => {
  const hit = evidence.hits.flatMap(({ session, point, held }) => [
    ...held.map((effect) => `${session}/${effect}`),
    // The intent was on disk at the kill, so the call may have run or not.
    ...(point.at === "seen" && point.kind === "call_intended" ? [`${session}/${RUN}s${point.step}c0`] : []),
  ]);
  const named = ({ session, call }: { session: string; call: string }) => `${session}/${call}`;
  const once = outcomes().filter((call) => call.effect === "once" && hit.includes(named(call)));
  expect(once.length).toBeGreaterThan(0);
  expect(unknowns().map(named)).toEqual(once.map(named));
  const others = outcomes().filter(({ status }) => status !== "unknown");
  expect(others.filter(({ status }) => status !== "ok")).toEqual([]);
});

test("a keyed call has exactly one effect under its key, however often it was tried", () => {
  const keyed = outcomes().filter(({ effect }) => effect === "keyed");
  expect(keyed.map((call) => call.effects.map(({ key }) => key))).toEqual(
    keyed.map(({ session, call }) => [
      expect.stringMatching(new RegExp(`^${session}@\\d+/${call}$`)) as string,
    ]),
  );
  expect(keyed.filter((call) => call.attempts > 1).length).toBeGreaterThan(0);
});

test("a once call is made once at most", () => {
  const once = outcomes().filter(({ effect }) => effect === "once");
  expect(once.filter((call) => call.attempts > 1 || call.effects.length > 1)).toEqual([]);
});

test("no result is lost: each ok one has its effect, and each effect has a result that is ok or unknown", () => {
  expect(lostResults()).toEqual([]);
  // Nor is there an effect that no call of the log explains.
  const explained = outcomes().flatMap((call) => call.effects);
  expect(effects.filter((effect) => !explained.includes(effect))).toEqual([]);
});

function lostResults() {
  return outcomes().filter(({ effect, status, effects: done, observation }) => {
    if (effect === "read") return status !== "ok";
    if (status !== "ok") return status !== "unknown" && done.length > 0;
    return done.length !== 1 || done[0]?.receipt !== receiptOf(observation);
  });
}

test("each unknown outcome is told to the model in the next prompt and in every one after it", () => {
  expect(unknowns().length).toBeGreaterThan(0);
  for (const unknown of unknowns()) {
    expect(toldAfter(unknown).length).toBeGreaterThan(0);
    for (const observation of toldAfter(unknown)) expect(observation).toContain("unknown_outcome");
  }
});

/** Result of a call in each later prompt, the next step's first; null where a prompt has none. */
function toldAfter({ session, call }: { session: string; call: string }): (string | null)[] {
  const step = Number(/s(\d+)c/.exec(call)?.[1]);
  return model.requests.flatMap(({ messages }, request) => {
    const prompt = promptOf(request);
    if (prompt.session !== session || prompt.step <= step) return [];
    const told = messages.find(
      (message) => message.role === "tool" && message.tool_call_id === wireCallId(call),
    );
    return [told?.content ?? null];
  });
}

test("what a client was shown before a kill is in the log, as it was shown", () => {
  let compared = 0;
  for (const [session, shown] of evidence.shown) {
    const log = logs.get(session) ?? [];
    for (const entry of shown) {
      expect(log[entry.seq - 1], `${session} ${entry.seq}`).toEqual(entry);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(0);
});

test("the same message and the same yes once more change nothing", async () => {
  for (const session of SESSIONS) {
    expect(await say(server.url, session, session, messageOf(session))).toBe(`${session}.${RUN}`);
    const approval = ofKind(logs.get(session) ?? [], "approval_decided")[0]?.body["approval"];
    await fetch(`${server.url}/api/sessions/${session}/approvals/${String(approval)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "approve" }),
    });
    expect(await fetchLog(server.url, session)).toEqual(logs.get(session));
  }
});

test("a run goes on within seconds of the start, and the figures are these", () => {
  const { hits, lives } = evidence;
  const fromReady: number[] = [];
  const fromKill: number[] = [];
  for (const { session, life, point } of hits) {
    const [died, next] = [lives[life], lives[life + 1]];
    if (awaitsPerson(point) || isEnd(point) || next?.readyAt == null || died?.killedAt == null) continue;
    const times = (logs.get(session) ?? []).map(({ at }) => Date.parse(at));
    const resumed = times.find((at) => at >= next.launchedAt);
    if (resumed === undefined || resumed > (next.killedAt ?? Infinity)) continue;
    fromReady.push(resumed - next.readyAt);
    fromKill.push(resumed - died.killedAt);
  }
  expect(fromReady.length).toBeGreaterThan(0);
  expect(percentile(fromReady, 95)).toBeLessThan(10_000);

  const started = lives.flatMap(({ launchedAt, readyAt }) =>
    readyAt === null ? [] : [readyAt - launchedAt],
  );
  const deaf = lives.filter(({ readyAt }) => readyAt === null);
  const boots = hits.filter(({ point }) => point.at === "boot");
  const lost = SESSIONS.flatMap((session) => ofKind(logs.get(session) ?? [], "attempt_lost"));
  const told = unknowns().filter((call) => toldAfter(call)[0]?.includes("unknown_outcome") === true);
  const kept = (values: readonly number[]) =>
    `p50 ${percentile(values, 50)} ms, p95 ${percentile(values, 95)} ms`;
  console.log(
    [
      "Ten steps under SIGKILL",
      `  kill points         ${hits.length} in ${SESSIONS.length} runs, by ${lives.length - 1} kills of the server`,
      `  during the boot     ${boots.length} of them, and ${deaf.length} of the kills before it listened`,
      `  attempts lost       ${lost.length}`,
      `  calls               ${outcomes().length}, tried more than once: ${outcomes().filter((call) => call.attempts > 1).length}`,
      `  effects             ${effects.length}, duplicated: ${outcomes().filter((call) => call.effects.length > 1).length}`,
      `  results lost        ${lostResults().length}`,
      `  unknown outcomes    ${unknowns().length}, told to the model: ${told.length}, had taken effect: ${unknowns().filter((call) => call.effects.length > 0).length}`,
      `  Ready to next step  ${kept(fromReady)} (${fromReady.length} times; below 0: before Ready)`,
      `  kill to next step   ${kept(fromKill)}`,
      `  start to Ready      ${kept(started)}`,
    ].join("\n"),
  );
});

const count = (list: readonly unknown[], item: unknown): number =>
  list.filter((each) => each === item).length;

/** Nearest rank. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? NaN;
}
