import {
  APPROVAL_MS,
  CLIENT_ANSWER_MS,
  OBSERVATION_CHARS_MAX,
  QUESTION_MS,
} from "../../../src/cairn/core/limits.ts";
import type { ApprovalRules } from "../../../src/cairn/core/log/approval.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import type { InputMode } from "../../../src/cairn/core/log/entry.ts";
import { waitsForPerson } from "../../../src/cairn/core/state/run/phase.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { TimingRequest } from "../../../src/cairn/core/schedule.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import type { Deed, Moment, Script } from "../play.ts";
import { WHERE } from "../platform/client-tool.ts";
import { byStep, REPORT, type Line } from "../platform/fake-model.ts";
import { ALONE_SCRIPTS } from "../channels/alone.ts";
import { CHANNEL_SCRIPTS } from "../channels/scripts.ts";
import { RESEARCH } from "./research.ts";
import { dropSchedule, makeSchedule } from "./scheduling.ts";
import { FakePlatform } from "../platform/platform.ts";

/** The scripted runs of the simulation. Each later capability adds its own here. */

const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;

/** Someone else, who may decide where an approval names them. */
const person = (subject: string): Actor => ({ subject, scopes: ["approve"], via: "http" });

const model =
  (...lines: readonly Line[]) =>
  (): FakePlatform =>
    new FakePlatform(byStep(...lines));

/** Someone says something, under an id of their own. */
export const say = (
  id: string,
  mode: InputMode | null = null,
  when: Moment = "rest",
  limits?: { steps: number },
): Deed => ({
  when,
  act: (platform) =>
    limits === undefined
      ? platform.api.send(ADA, {
          id,
          parts: [{ type: "text", text: `Words of ${id}.` }],
          mode,
          source: "api",
          request: null,
          ask: {},
        })
      : platform.sayOnce(id, limits),
});

/** Decides the approval that waits; who is not sure whether it arrived decides the same one again. */
const decide = (
  decision: "approve" | "deny" | "edit",
  more: {
    readonly args?: Json;
    readonly as?: string;
    readonly when?: Moment;
    readonly who?: Actor;
    readonly remember?: "args" | "tool";
  } = {},
): Deed => ({
  when: more.when ?? "rest",
  act: (platform, memory) => {
    const slot = more.as ?? "approval";
    const phase = platform.state.run?.phase;
    if (!memory.has(slot) && phase?.at === "waiting_approval") {
      memory.set(slot, phase.approval.approval);
      memory.set(`${slot} digest`, phase.approval.digest);
    }
    const approval = memory.get(slot);
    if (approval === undefined) return false;
    const { who = ADA, args = null, remember } = more;
    // Nobody has asked them yet.
    if (phase?.at === "waiting_approval" && who !== ADA && !phase.approval.approvers.includes(who.subject))
      return false;
    return platform.api.decide(who, {
      approval,
      decision,
      reason: decision === "deny" ? "Not now." : null,
      digest: who === ADA ? null : (memory.get(`${slot} digest`) ?? null),
      args,
      remember: remember === undefined ? null : { match: remember, seconds: 3_600 },
    });
  },
});

/** Says yes the moment that the time for it is over, before anyone has written so; who is not sure says it again. */
const tooLate = (): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    const phase = platform.state.run?.phase;
    if (!memory.has("late") && phase?.at === "waiting_approval") {
      memory.set("late", phase.approval.approval);
      platform.now = Math.max(platform.now, phase.approval.expiresAt);
    }
    const approval = memory.get("late");
    if (approval === undefined) return false;
    const yes = { decision: "approve", reason: null, digest: null, args: null, remember: null } as const;
    return platform.api.decide(ADA, { approval, ...yes });
  },
});

const cancel = (when: Moment = "rest"): Deed => ({
  when,
  act: (platform) => platform.api.cancel(ADA, { id: "stop", runId: null, all: true, reason: "enough" }),
});

/** Stops the live run, and holds what waits behind it. */
const hold = (when: Moment): Deed => ({
  when,
  act: (platform) =>
    platform.api.cancel(ADA, { id: "hold", runId: "ses.r1", all: false, hold: true, reason: "wait" }),
});

/** Lets a held queue go on. */
const goOn = (): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    if (!platform.state.held && !memory.has("went on")) return false;
    memory.set("went on", "yes");
    return platform.api.continueQueue(ADA);
  },
});

/** A person gives the live run a step more. */
const extend = (id: string, when: Moment): Deed => ({
  when,
  act: (platform) => platform.api.extend(ADA, { id, runId: "ses.r1", amounts: { steps: 1 } }),
});

/** A person has it tried again at once, as soon as it waits; who is not sure says it again. */
const retry = (): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    if (!memory.has("retried") && platform.state.run?.phase.at !== "waiting_retry") return false;
    memory.set("retried", "yes");
    return platform.api.retryNow(ADA, { id: "now", runId: "ses.r1" });
  },
});

/** The same while nothing waits. */
const retryTooSoon = (when: Moment): Deed => ({
  when,
  act: (platform) => platform.api.retryNow(ADA, { id: "soon", runId: "ses.r1" }),
});

const PRICED = "openai-compatible:priced";

const clear = (when: Moment = "rest"): Deed => ({ when, act: (platform) => platform.api.clear(ADA) });

/** Not before nothing is at work. */
const idle = (deed: Deed): Deed => ({
  ...deed,
  act: (platform, memory) => (platform.state.run === null ? deed.act(platform, memory) : false),
});

/** Adds words to the live run; there may be none any more. */
const steer = (id: string, when: Moment): Deed => ({
  when,
  act: (platform) => platform.api.steer(ADA, { id, parts: [{ type: "text", text: `Words of ${id}.` }] }),
});

/** Has the last answer made again, once nothing is at work. */
const again = (id: string): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    const { run, queue } = platform.state;
    // A client that is unsure of the first request repeats it, even during the run.
    if (!memory.has(id) && (run !== null || queue.length > 0)) return false;
    memory.set(id, "asked");
    return platform.api.regenerate(ADA, { id, message: null, request: null });
  },
});

/** Answers the question that waits; who is not sure whether it arrived gives the same answer again. */
const answer = (value: string, as = "question"): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    const phase = platform.state.run?.phase;
    if (!memory.has(as) && phase?.at === "waiting_human") memory.set(as, phase.question.question);
    const question = memory.get(as);
    return question === undefined ? false : platform.api.answer(ADA, { runId: null, question, value });
  },
});

/** Someone says something on a page that brings a tool of its own. */
const bring = (id: string): Deed => ({
  when: "rest",
  act: (platform) =>
    platform.api.send(ADA, {
      id,
      parts: [{ type: "text", text: `Words of ${id}.` }],
      mode: null,
      source: "web",
      request: null,
      ask: { clientTools: [WHERE] },
    }),
});

/** The page answers the call that waits for it; who is not sure whether it arrived answers the same again. */
const returns = (value: Json, as = "client call"): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    const phase = platform.state.run?.phase;
    if (!memory.has(as) && phase?.at === "waiting_client") memory.set(as, phase.client.call);
    const call = memory.get(as);
    return call === undefined
      ? false
      : platform.api.answerCall(ADA, { call, result: { kind: "output", value } });
  },
});

/** Says something while a question waits; who is not sure whether it arrived says it again. */
const reply = (id: string): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    if (!memory.has(id) && platform.state.run?.phase.at !== "waiting_human") return false;
    memory.set(id, "said");
    return say(id).act(platform, memory);
  },
});

const pass = (ms: number): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    if (memory.has("passed")) return;
    const phase = platform.state.run?.phase;
    if (phase === undefined || !waitsForPerson(phase)) return false;
    memory.set("passed", "yes");
    platform.now += ms;
  },
});

const later = (text: string): [string, Json] => ["schedule_task", { text, inMinutes: 1 }];

const look = (name: string): [string, Json] => ["look", { name }];
const ask = (question: string, more: { readonly [name: string]: Json } = {}): [string, Json] => [
  "ask_human",
  { question, ...more },
];
const where = (name: string): [string, Json] => ["where", { name }];
const put = (name: string): [string, Json] => ["put", { name }];
const send = (name: string): [string, Json] => ["send", { name }];
const publish = (name: string): [string, Json] => ["publish", { name }];

const SECRET = "sentinel-secret-value";

/** Each piece of a reply takes so long that the draft is saved on the way. */
function slowly(platform: FakePlatform): FakePlatform {
  platform.onPiece = () => void (platform.now += 700);
  return platform;
}

/** A webhook says something: words of nobody in particular. */
const hook = (id: string, when: Moment = "rest"): Deed => ({
  when,
  act: (platform) =>
    platform.api.send(ADA, {
      id,
      parts: [{ type: "text", text: `Words of ${id}.` }],
      mode: null,
      source: "webhook",
      request: null,
      ask: {},
    }),
});

/** Under such rules for what it publishes. */
const governed =
  (publishing: ApprovalRules, ...lines: readonly Line[]) =>
  (): FakePlatform => {
    const platform = model(...lines)();
    platform.approvals = { publish: publishing };
    platform.restart();
    return platform;
  };

/** Makes a schedule; who is not sure whether it stands sends the same again. */
const schedule = (id: string, timing: TimingRequest): Deed => ({
  when: "rest",
  act: (platform) =>
    makeSchedule(platform, { id, digest: id, text: `Words of ${id}.`, timing, catchUp: "once", agent: null }),
});

/** Deletes a schedule; who is not sure whether it is gone deletes it again. */
const unschedule = (id: string, when: Moment = "rest"): Deed => ({
  when,
  act: (platform) => dropSchedule(platform, id),
});

/** so long after the beginning of a script */
const soon = (ms: number): TimingRequest => ({ at: new Date(1_700_000_000_000 + ms).toISOString() });

/** Looks at the same thing again and again until a person says something; its agent asks one. */
const circling = (): FakePlatform => {
  const platform = new FakePlatform((request) =>
    request.tools.length === 0 || JSON.stringify(request.messages).includes("another way")
      ? { text: REPORT }
      : { calls: [look("a")] },
  );
  platform.policy = { onStuck: { action: "escalate" } };
  platform.restart();
  return platform;
};

/** A run as data: its objective, and what is asked of it. */
const job = (id: string, ask: RunOptions): Deed => ({
  when: "rest",
  act: (platform) =>
    platform.api.send(ADA, {
      id,
      digest: id,
      parts: [{ type: "text", text: `Objective of ${id}.` }],
      mode: "queue",
      source: "api",
      request: null,
      ask,
    }),
});

/** A model names the class of the run before its first step, which is then its plan. */
const prepared =
  (said: Line, ...lines: readonly Line[]) =>
  (): FakePlatform => {
    const answer = byStep(...lines);
    const platform = new FakePlatform((request) => (request.step === "r1.label" ? said : answer(request)));
    platform.prepared = true;
    platform.restart();
    return platform;
  };

/** A model that may be asked for a class: the rehearsal model may not. */
const ASKABLE = { model: "openai-compatible:test" };

const PLAN: [string, Json] = [
  "update_plan",
  { goal: "Put it", items: [{ id: "p1", text: "Put the thing", kind: "do", status: "open" }] },
];

/** The agent is deployed anew with other rules; what was accepted before keeps its own. */
const redeploy = (approvals: FakePlatform["approvals"]): Deed => ({
  when: "rest",
  act: (platform, memory) => {
    if (memory.has("redeployed")) return false;
    memory.set("redeployed", "yes");
    platform.approvals = approvals;
    return platform.restart();
  },
});

const CELSIUS = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };

export const SCRIPTS: readonly Script[] = [
  {
    name: "a run whose class a model names, and whose plan comes first",
    platform: prepared(
      { text: '{"label":"complex","confidence":0.9}' },
      { calls: [PLAN] },
      { calls: [put("a")] },
      { text: "Put." },
    ),
    deeds: [job("m1", ASKABLE)],
  },
  {
    name: "a run that is stopped while a model names its class",
    platform: prepared({ text: '{"label":"complex","confidence":0.9}' }, { text: "Never." }),
    deeds: [job("m1", ASKABLE), cancel("model r1.label"), say("m2")],
    // A call that died is not made again, so there may be no such moment to stop in.
    ends: "by chance",
  },
  {
    name: "a run whose class no model can name",
    platform: prepared(
      { fail: { class: "rate_limit", message: "slow down", retryAfterMs: 2_000, usage: null } },
      { calls: [put("a")] },
      { text: "Put." },
    ),
    deeds: [job("m1", ASKABLE)],
  },
  {
    name: "a run that was given one tool and asks for others",
    platform: model(
      { calls: [look("a"), put("b"), send("c")] },
      { calls: [publish("d")] },
      { text: "Seen." },
    ),
    deeds: [job("m1", { tools: ["look"] })],
  },
  {
    name: "a run that has a person asked where its agent would not",
    platform: model({ calls: [put("a"), send("b")] }, { text: "Put, not sent." }),
    deeds: [job("m1", { approval: { rules: { put: "ask", send: "deny" } } }), decide("approve")],
  },
  {
    name: "a run that ends with a value, after one that did not fit",
    platform: model(
      { calls: [["complete", { value: { celsius: "warm" } }]] },
      { calls: [["complete", { value: { celsius: 21 } }]] },
    ),
    deeds: [job("m1", { output: CELSIUS, resultKey: "weather" })],
  },
  {
    name: "a run that waits while its agent is given other rules",
    platform: governed({ approvers: ["bob"] }, { calls: [publish("a")] }, { text: "Public." }),
    deeds: [
      job("m1", { tools: ["publish"] }),
      redeploy({}),
      decide("approve", { who: person("bob"), as: "bob" }),
    ],
    most: 1,
  },
  {
    name: "a plain answer, streamed slowly",
    platform: () =>
      slowly(model({ thought: "Who is it?", text: "Hello, and what can I do for you today?" })()),
    deeds: [say("m1")],
  },
  {
    name: "three tools of the three effect classes",
    platform: model(
      { text: "First a look.", calls: [look("a"), look("b")] },
      { calls: [put("b")] },
      { calls: [send("c")] },
      { text: "Done." },
    ),
    deeds: [say("m1")],
  },
  {
    name: "several calls in one reply, one of them gated",
    platform: model({ calls: [look("a"), put("b"), publish("c"), look("c"), send("d")] }, { text: "Done." }),
    deeds: [say("m1"), decide("approve")],
    most: 1,
  },
  {
    name: "an approval given, twice and then withdrawn",
    platform: model({ calls: [publish("a")] }, { text: "Public." }),
    deeds: [say("m1"), decide("approve"), decide("approve"), decide("deny")],
  },
  {
    name: "an approval denied",
    platform: model({ calls: [publish("a"), put("b")] }, { text: "Not public." }),
    deeds: [say("m1"), decide("deny"), decide("approve")],
  },
  {
    name: "an approval edited",
    platform: model({ calls: [publish("a")] }, { text: "Public, as you wrote it." }),
    deeds: [say("m1"), decide("edit", { args: { name: "b" } })],
  },
  {
    name: "an approval that nobody gives in time",
    platform: model({ calls: [publish("a")] }, { text: "Nobody said yes." }),
    deeds: [say("m1"), pass(APPROVAL_MS + 1_000), decide("approve", { as: "late" })],
  },
  {
    name: "a yes that comes when its time is over",
    platform: model({ calls: [publish("a")] }, { text: "Nobody said yes in time." }),
    deeds: [say("m1"), tooLate()],
    most: 1,
  },
  {
    name: "three people agree, after one of them has changed it",
    platform: governed(
      { approvers: ["bob", "carol", "dan"], needed: 3 },
      { calls: [publish("a")] },
      { text: "Public, as you agreed." },
    ),
    deeds: [
      say("m1"),
      decide("approve", { who: person("bob"), as: "bob" }),
      decide("edit", { who: person("carol"), as: "carol", args: { name: "b" } }),
      decide("approve", { who: person("dan"), as: "dan" }),
      decide("approve", { who: person("dan"), as: "dan again" }),
      decide("approve", { who: person("bob"), as: "bob again" }),
    ],
    most: 1,
  },
  {
    name: "an approval that is asked of more people when nobody has decided",
    platform: governed(
      { onExpiry: "escalate", escalateTo: ["eve"], expiresMs: 3_600_000 },
      { calls: [publish("a")] },
      { text: "Public." },
    ),
    deeds: [say("m1"), pass(3_600_000), decide("approve", { who: person("eve"), as: "eve" })],
    most: 1,
  },
  {
    name: "a yes that holds for later calls, until something from outside is read",
    platform: model(
      { calls: [publish("a")] },
      { calls: [publish("b")] },
      { calls: [["visit", { name: "x" }]] },
      { calls: [publish("c")] },
      { text: "All of it." },
    ),
    deeds: [
      say("m1"),
      decide("approve", { remember: "tool" }),
      decide("deny", { as: "second" }),
      idle(clear()),
    ],
    most: 1,
  },
  {
    name: "a second approval in the same run",
    platform: model({ calls: [publish("a"), publish("b")] }, { text: "Both." }),
    deeds: [say("m1"), decide("approve"), decide("deny", { as: "second" })],
    most: 1,
  },
  {
    name: "a retry after 429",
    platform: () => {
      const platform = new FakePlatform(() =>
        platform.requests.length < 2
          ? { fail: { class: "rate_limit", message: "slow down", retryAfterMs: 2_000, usage: null } }
          : { text: "Hello." },
      );
      return platform;
    },
    deeds: [say("m1")],
  },
  {
    name: "a wait for a provider that a person ends",
    platform: () => {
      const platform = new FakePlatform(() =>
        platform.requests.length < 1
          ? { fail: { class: "rate_limit", message: "slow down", retryAfterMs: 120_000, usage: null } }
          : { text: "Hello." },
      );
      return platform;
    },
    deeds: [say("m1"), retryTooSoon("model r1s1"), retry()],
  },
  {
    name: "a retry after a cut stream",
    platform: () => {
      const platform = slowly(
        new FakePlatform(() =>
          platform.requests.length < 1
            ? {
                text: "This half of an answer is never",
                fail: { class: "cut_off", message: "cut off", retryAfterMs: null, usage: null },
              }
            : { text: "A whole answer." },
        ),
      );
      return platform;
    },
    deeds: [say("m1")],
  },
  {
    name: "a keyed tool that fails in passing",
    platform: () => {
      const platform = model({ calls: [put("a")] }, { text: "Done." })();
      platform.effects.failures.set("put", [
        new ToolError("network", "busy", "Busy.", { nothingDone: true }),
      ]);
      return platform;
    },
    deeds: [say("m1")],
  },
  {
    name: "a tool that says when to come back, at first soon and then too late",
    platform: () => {
      const platform = model(
        { calls: [look("a"), put("b")] },
        { calls: [look("c")] },
        { text: `Some could not be read. ${REPORT}` },
      )();
      const limited = (retryAfterMs: number): ToolError =>
        new ToolError("rate_limit", "limited", "Too many.", { nothingDone: true, retryAfterMs });
      platform.effects.failures.set("look", [limited(40_000), limited(2 * 3_600_000)]);
      return platform;
    },
    deeds: [say("m1")],
    // A look that died has used up one of the failures.
    ends: "by chance",
    most: 1,
  },
  {
    name: "a tool that fails for good",
    platform: () => {
      const platform = model({ calls: [look("a")] }, { text: "There is no such thing." })();
      platform.effects.broken.set("look", new ToolError("not_found", "no_page", "There is no such page."));
      return platform;
    },
    deeds: [say("m1")],
  },
  {
    name: "a page from outside, and then something would leave",
    platform: model(
      { calls: [look("a"), ["visit", { name: "b" }]] },
      { calls: [["fetch_out", { url: "https://example.org/" }]] },
      { text: "It was looked at, and the page was visited and fetched." },
    ),
    deeds: [say("m1"), decide("approve")],
    most: 1,
  },
  {
    name: "a webhook that would write, and a member who is refused twice",
    platform: () =>
      new FakePlatform((request) => {
        if (request.step === "r1s1") return { calls: [put("a"), look("b")] };
        if (request.step.startsWith("r1")) return { text: "It was not put: nobody is there to allow it." };
        return { calls: [["reset", { name: request.step }]] };
      }),
    deeds: [hook("m1"), say("m2")],
    // Where the webhook's alarm was lost, the person is worked first.
    ends: "by chance",
    most: 1,
  },
  {
    name: "a person who writes while webhooks wait",
    platform: model({ text: "It was heard." }),
    deeds: [hook("m1"), hook("m2", "model r1s1"), hook("m3", "model r1s1"), say("m4", null, "model r1s1")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "a run that schedules a reminder, and lists it",
    platform: () => {
      const platform = new FakePlatform(
        byStep(
          { calls: [later("Water the plants.")] },
          { calls: [["schedule_list", {}]] },
          { text: "It is scheduled." },
        ),
      );
      platform.plans = true;
      platform.restart();
      return platform;
    },
    deeds: [say("m1")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "a schedule that is due while a message is being answered",
    platform: () =>
      slowly(
        new FakePlatform(({ step }) => ({ text: step.startsWith("r1") ? "A slow answer." : "On time." })),
      ),
    deeds: [schedule("sch_once", soon(500)), say("m1")],
    ends: "by chance",
  },
  {
    name: "an interval that is deleted while its second run is at work",
    platform: model({ text: "All is well." }),
    deeds: [schedule("sch_beat", { everyMs: 60_000 }), unschedule("sch_beat", "model r2s1")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "a schedule that is deleted long before its time",
    platform: model({ text: "Never." }),
    deeds: [schedule("sch_far", soon(3_600_000)), unschedule("sch_far")],
  },
  {
    name: "a stop in the middle of a model call",
    platform: () => slowly(model({ text: "A long answer that somebody stops." }, { text: "Never." })()),
    deeds: [say("m1"), cancel("model r1s1")],
    ends: "by chance",
  },
  {
    name: "a stop in the middle of a keyed tool",
    platform: model({ calls: [put("a"), send("b")] }, { text: "Never." }),
    deeds: [say("m1"), cancel("tool put")],
    ends: "by chance",
  },
  {
    name: "a stop in the middle of a once tool, then another message",
    platform: model({ calls: [send("a")] }, { text: "Never." }),
    deeds: [say("m1"), cancel("tool send"), say("m2")],
    ends: "by chance",
  },
  {
    name: "a stop that is sent again when another run is at work",
    long: true,
    platform: model({ calls: [look("a")] }, { text: "An answer." }),
    deeds: [say("m1"), cancel("tool look"), say("m2"), cancel("model r2s1")],
    ends: "by chance",
  },
  {
    name: "a stop while an approval waits",
    platform: model({ calls: [publish("a")] }, { text: "Never." }),
    deeds: [say("m1"), cancel(), decide("approve")],
    ends: "by chance",
  },
  {
    name: "a stop while it is found out what an approval would show",
    platform: model({ calls: [publish("a")] }, { text: "Never." }),
    deeds: [say("m1"), cancel("tool publish: preview")],
    ends: "by chance",
  },
  {
    name: "a stop of everything while another message waits",
    long: true,
    platform: model({ text: "Never." }),
    deeds: [say("m1"), say("m2", null, "model r1s1"), cancel("model r1s1")],
    ends: "by chance",
  },
  {
    name: "a stop that holds what waits, and is let go on",
    platform: model({ text: "An answer." }),
    deeds: [say("m1"), say("m2", null, "model r1s1"), hold("model r1s1"), goOn()],
    ends: "by chance",
  },
  {
    name: "a clock that is set back while a tool is at work",
    long: true,
    platform: model({ calls: [look("a")] }, { text: "Done." }),
    deeds: [say("m1"), { when: "tool look", act: (platform) => void (platform.now -= 20_000) }],
  },
  {
    name: "two messages, the second while the first is thought about",
    platform: model({ text: "An answer." }),
    deeds: [say("m1"), say("m2", "queue", "model r1s1")],
    ends: "by chance",
  },
  {
    name: "words that join a run in the middle of a tool",
    platform: model({ calls: [look("a")] }, { text: "Both." }),
    deeds: [say("m1"), say("m2", "join", "tool look")],
    ends: "by chance",
  },
  {
    name: "words that join beside the last answer",
    platform: model({ text: "Too early." }, { text: "Both." }),
    deeds: [say("m1"), say("m2", "join", "model r1s1")],
    ends: "by chance",
  },
  {
    name: "words that join beside an answer that is forced",
    platform: model({ text: REPORT }),
    deeds: [say("m1", null, "rest", { steps: 1 }), say("m2", "join", "model r1s1")],
    most: 1,
    ends: "by chance",
  },
  {
    name: "a message that replaces the run that waits",
    platform: () =>
      new FakePlatform((request) =>
        request.step === "r1s1" ? { calls: [publish("a")] } : { text: `Instead, in ${request.step}.` },
      ),
    deeds: [say("m1"), say("m2", "replace"), decide("approve")],
    ends: "by chance",
  },
  {
    name: "the session cleared in the middle of a tool",
    platform: model({ calls: [look("a"), put("b")] }, { text: "Never." }),
    deeds: [say("m1"), clear("tool put"), say("m2")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "an answer that is forced at the last step",
    platform: () =>
      new FakePlatform((request) =>
        request.tools.length === 0
          ? { text: "As far as I got." }
          : { calls: [look(`p${request.step.slice(3)}`)] },
      ),
    deeds: [say("m1", null, "rest", { steps: 3 })],
  },
  {
    name: "a run whose money runs out",
    platform: () => {
      const platform = new FakePlatform((request) => ({
        ...(request.tools.length === 0
          ? { text: "As far as I got." }
          : { calls: [look(`p${request.step.slice(3)}`)] }),
        usage: { inputTokens: 6_000, outputTokens: 500 },
      }));
      platform.prices = { [PRICED]: { input: 2, cachedInput: 2, output: 10 } };
      return platform;
    },
    deeds: [{ when: "rest", act: (platform) => platform.sayOnce("m1", { cost: 150_000 }, PRICED) }],
    // A lost attempt reduces the budget, so the run gets less far.
    ends: "by chance",
    most: 1,
  },
  {
    name: "a run that a person gives more",
    platform: () =>
      new FakePlatform((request) =>
        request.tools.length === 0
          ? { text: "As far as I got." }
          : { calls: [look(`p${request.step.slice(3)}`)] },
      ),
    deeds: [say("m1", null, "rest", { steps: 3 }), extend("x1", "model r1s1"), extend("x2", "tool look")],
    most: 1,
  },
  {
    name: "facts stored and found again",
    platform: model(
      { calls: [["store_memory", { key: "colour", value: "green" }], look("a")] },
      { calls: [["retrieve_memory", { key: "colour" }]] },
      { text: "Green." },
    ),
    deeds: [say("m1")],
  },
  {
    name: "a large result that is kept, with a secret in it",
    long: true,
    platform: () => {
      const platform = model(
        { text: `I think of ${SECRET}.`, calls: [["bulk", { name: "a" }]] },
        { calls: [["read_observation", { id: "r1s1c0", offset: 10 }]] },
        { text: `Never ${SECRET}.` },
      )();
      platform.effects.bulk = `${SECRET} ${"word ".repeat(OBSERVATION_CHARS_MAX)}`;
      platform.protect([{ name: "SENTINEL", value: SECRET }]);
      return platform;
    },
    deeds: [say("m1")],
  },
  {
    name: "a model call that always dies",
    platform: model({ text: "Never said." }),
    deeds: [say("m1")],
    dies: (where) => where === "model: before",
    most: 1,
  },
  {
    name: "a read that always dies",
    platform: model({ calls: [look("a")] }, { text: "I could not look." }),
    deeds: [say("m1")],
    dies: (where) => where === "look: after",
    most: 1,
  },
  {
    name: "a keyed tool that always dies after its effect",
    platform: model({ calls: [put("a")] }, { text: "It may be there." }),
    deeds: [say("m1")],
    dies: (where) => where === "put: after",
    most: 1,
  },
  {
    name: "the same asked for again and again",
    platform: () =>
      new FakePlatform((request) =>
        request.tools.length === 0
          ? { text: "As far as I got." }
          : { calls: [request.step === "r1s1" || request.step === "r1s2" ? put("a") : look("b")] },
      ),
    deeds: [say("m1")],
    most: 1,
  },
  {
    name: "a failure that is passed over",
    platform: () => {
      const platform = model({ calls: [put("a")] }, { text: "All done, everything is in its place." })();
      platform.effects.broken.set("put", new ToolError("permission", "not_yours", "That is not yours."));
      return platform;
    },
    deeds: [say("m1")],
    most: 1,
  },
  {
    name: "a question answered, with a read and a change beside it",
    platform: model(
      { calls: [ask("Which colour?"), put("a"), look("b")] },
      { calls: [put("green")] },
      { text: REPORT },
    ),
    deeds: [say("m1"), answer("green"), answer("blue"), answer("red", "late")],
    most: 1,
  },
  {
    name: "a client tool called twice, with a read and a change beside it, and answered",
    platform: model({ calls: [look("a"), where("a"), put("b"), where("b")] }, { text: REPORT }),
    deeds: [
      bring("m1"),
      returns("here"),
      returns("there"),
      decide("approve"),
      returns({ at: "home" }, "second"),
    ],
    most: 1,
  },
  {
    name: "a client tool after private and foreign content",
    platform: model({ calls: [look("a"), where("a")] }, { calls: [where("b")] }, { text: REPORT }),
    deeds: [bring("m1"), returns("here"), decide("approve"), returns("there", "second")],
    most: 1,
  },
  {
    name: "a client tool that no client answers in time",
    platform: model({ calls: [where("a"), put("b")] }, { text: REPORT }),
    deeds: [bring("m1"), pass(CLIENT_ANSWER_MS + 1_000), returns("here")],
    most: 1,
  },
  {
    name: "a stop while a client tool waits",
    platform: model({ calls: [where("a")] }, { text: "Never." }),
    deeds: [bring("m1"), cancel(), returns("here")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "words for the live run, and an answer made again",
    platform: () =>
      new FakePlatform(({ step }): Line => {
        if (step === "r1s1") return { calls: [look("a")] };
        return { text: step.startsWith("r1") ? `${REPORT} That was the first.` : REPORT };
      }),
    deeds: [say("m1"), steer("s1", "model r1s1"), again("again"), say("m2")],
    most: 1,
  },
  {
    name: "a question answered by a message in the chat",
    platform: model({ calls: [ask("Which colour?", { options: ["green", "blue"] })] }, { text: REPORT }),
    deeds: [say("m1"), reply("m2"), reply("m2")],
    most: 1,
  },
  {
    name: "a question that nobody answers in time",
    platform: model({ calls: [ask("Which colour?", { default: "green" })] }, { text: REPORT }),
    deeds: [say("m1"), pass(QUESTION_MS + 1_000), answer("blue")],
    most: 1,
  },
  {
    name: "a question that nobody answers, where that ends the run",
    platform: () => {
      const platform = model({ calls: [ask("Which colour?")] }, { text: "Never." })();
      platform.policy = { questions: { waitMs: QUESTION_MS, otherwise: "end" } };
      platform.restart();
      return platform;
    },
    deeds: [say("m1"), pass(QUESTION_MS + 1_000)],
    most: 1,
  },
  {
    name: "a stop while a question waits",
    platform: model({ calls: [ask("Which colour?")] }, { text: "Never." }),
    deeds: [say("m1"), cancel(), answer("green")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "a person asked what to do about a run that is stuck",
    platform: circling,
    deeds: [say("m1"), answer("Look for another way.")],
    most: 1,
  },
  {
    name: "a person asked what to do about a run that is stuck, who says nothing",
    platform: circling,
    deeds: [say("m1"), pass(QUESTION_MS + 1_000)],
    most: 1,
  },
  {
    name: "a tool that is out of order",
    platform: () => {
      const platform = model(
        { calls: [look("a")] },
        { calls: [look("b")] },
        { text: `It could not be read. ${REPORT}` },
      )();
      platform.effects.broken.set(
        "look",
        new ToolError("server", "busy", "It is busy.", { nothingDone: true }),
      );
      return platform;
    },
    deeds: [say("m1")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "a long run that is summed up, with words that join it",
    platform: () =>
      new FakePlatform((request) => {
        const step = Number(request.step.slice(3));
        if (request.tools.length === 0) return { text: "As far as I got." };
        return step < 13 ? { calls: [look(`p${step}`)] } : { text: REPORT };
      }),
    deeds: [say("m1"), say("m2", "join", "model r1s4")],
    ends: "by chance",
    most: 1,
  },
  {
    name: "a request that its provider calls too large",
    platform: () => {
      const platform = new FakePlatform((request) => {
        const step = Number(request.step.slice(3));
        if (step === 9 && request.attempt === 1) {
          return {
            fail: { class: "context_overflow", message: "too long", retryAfterMs: null, usage: null },
          };
        }
        return step < 9 ? { calls: [["bulk", { name: `b${step}` }]] } : { text: REPORT };
      });
      platform.effects.bulk = "a word and another ".repeat(200);
      return platform;
    },
    deeds: [say("m1")],
    most: 1,
  },
  {
    name: "a plan that is made, fails and is made anew",
    platform: () => {
      const plan = (...items: readonly Json[]): [string, Json] => [
        "update_plan",
        { goal: "Two things", items: [...items] },
      ];
      const item = (id: string, tool: string, status: string, reason?: string): Json => ({
        id,
        text: `do ${id}`,
        kind: "do",
        tool,
        status,
        ...(reason === undefined ? {} : { reason }),
      });
      const platform = model(
        { calls: [plan(item("p1", "look", "doing"), item("p2", "put", "open")), look("a")] },
        { calls: [plan(item("p1", "look", "done"))] },
        { calls: [put("a")] },
        { calls: [put("b")] },
        { calls: [plan(item("p1", "look", "open"), item("p2", "put", "dropped", "It fails."))] },
        { text: "I looked at it. The second thing could not be done: put failed twice." },
      )();
      platform.effects.broken.set("put", new ToolError("conflict", "taken", "It is taken."));
      return platform;
    },
    deeds: [say("m1")],
    most: 1,
  },
  {
    name: "an answer through complete",
    long: true,
    platform: model(
      { calls: [look("a")] },
      {
        calls: [
          ["log_progress", { message: "Nearly." }],
          ["complete", { answer: "It is done.", confidence: 0.9 }],
          ["store_memory", { key: "tone", value: "plain" }],
        ],
      },
    ),
    deeds: [say("m1"), say("m1")],
  },
  {
    name: "others are told of a run and its approval, and one of them is down for a while",
    platform: () => {
      const platform = model({ calls: [publish("a")] }, { text: "Public." })();
      platform.receiver.listen("run.*", "approval.*");
      platform.receiver.answers = (type) =>
        type === "run.started"
          ? [{ status: 503 }, { status: null }]
          : type === "run.ended"
            ? [{ status: 429, retryAfterMs: 20_000 }]
            : type === "approval.requested"
              ? [{ status: 400 }]
              : [];
      return platform;
    },
    deeds: [say("m1"), decide("approve")],
    most: 1,
  },
  {
    name: "a run is stopped while others are being told of it",
    platform: () => {
      const platform = model({ calls: [look("a")] }, { text: "Seen." })();
      platform.receiver.listen("run.ended", "run.started");
      return platform;
    },
    deeds: [say("m1"), say("m2"), cancel("post run.started")],
    most: 1,
    // The stop comes when the word of the start does.
    ends: "by chance",
  },
  ...RESEARCH,
  ...CHANNEL_SCRIPTS,
  ...ALONE_SCRIPTS,
];
