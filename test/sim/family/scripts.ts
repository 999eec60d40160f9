import type { Json, JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { ModelRequest } from "../../../src/cairn/core/log/model.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import type { RunOptions } from "../../../src/cairn/protocol/run-spec/run-options.ts";
import { REPORT, type Line } from "../platform/fake-model.ts";
import type { TreeDeed, TreeMoment, TreeScript } from "./world.ts";

/** The scripted trees of the simulation. */

export const ROOT = "ses";
export const ADA = { subject: "ada", scopes: ["read", "send", "approve"], via: "http" } as const;
/** Someone else, who may decide where an approval names them. */
export const person = (subject: string): Actor => ({ subject, scopes: ["approve"], via: "http" });

/** Name of the child of the n-th call of a step. */
export const childOf = (session: string, call: string): string => `${session}~${call}`;
export const FIRST = childOf(ROOT, "r1s1c0");
export const SECOND = childOf(ROOT, "r1s1c1");
export const GRANDCHILD = childOf(FIRST, "r1s1c0");
export const GREAT_GRANDCHILD = childOf(GRANDCHILD, "r1s1c0");

/** Lines of each session's steps, by its name; an unnamed session only reports. */
export type Parts = Readonly<Record<string, readonly Line[]>>;

export const says =
  (parts: Parts) =>
  (session: string, { step, tools }: ModelRequest): Line => {
    const line = parts[session]?.[Number(/s(\d+)$/.exec(step)?.[1] ?? 1) - 1];
    // A request without tools asks for the answer.
    const calls = line !== undefined && "calls" in line && tools.length === 0;
    return line === undefined || calls ? { text: REPORT } : line;
  };

export const hands = (objective: string, more: JsonObject = {}): [tool: string, input: Json] => [
  "run_agent",
  { objective, ...more },
];
export const calls = (...list: readonly [tool: string, input: Json][]): Line => ({ calls: list });
export const call = (tool: string, name: string): Line => calls([tool, { name }]);
export const REPORTS: Line = { text: REPORT };

/** Enough for a tree of any depth: each child is given a part of what is left. */
const WIDE: RunOptions = { profile: "complex" };

/** Enough for three levels. */
export const LONG: RunOptions = { profile: "research", citations: "off" };
/** Words of a large piece of work: a child of a small class has no room for children of its own. */
export const LARGE =
  "First look at every page, then compare all of them, after that change the ten oldest, and finally report what was done.";

/** Someone asks the root for something, under an id of their own. */
export const asks = (id: string, ask: RunOptions = WIDE): TreeDeed => ({
  when: "rest",
  act: (world) =>
    world.ask(ROOT, ({ api }) =>
      api.send(ADA, {
        id,
        digest: id,
        parts: [{ type: "text", text: `Words of ${id}.` }],
        mode: null,
        source: "api",
        request: null,
        ask,
      }),
    ),
});

/** Decides what waits in this session; who is not sure whether it arrived decides the same one again. */
export const decides = (
  session: string,
  decision: "approve" | "deny" | "edit",
  {
    who = ADA,
    args = null,
    when = "rest",
    as = session,
  }: { who?: Actor; args?: Json; when?: TreeMoment; as?: string } = {},
): TreeDeed => ({
  when,
  act: (world, memory) =>
    !world.has(session)
      ? false
      : world.ask(session, async ({ state, api }) => {
          const phase = state.run?.phase;
          if (!memory.has(as) && phase?.at === "waiting_approval") {
            memory.set(as, phase.approval.approval);
            memory.set(`${as} digest`, phase.approval.digest);
          }
          const approval = memory.get(as);
          if (approval === undefined) return false;
          const digest = memory.get(`${as} digest`) ?? null;
          const reason = decision === "deny" ? "Not now." : null;
          await api.decide(who, { approval, decision, reason, digest, args, remember: null });
          return true;
        }),
});

/** Nobody decides: time runs to where the approval of this session is over. */
export const waitsTooLong = (session: string): TreeDeed => ({
  when: "rest",
  act: (world, memory) => {
    const phase = world.has(session) ? world.session(session).state.run?.phase : undefined;
    if (phase?.at === "waiting_approval") {
      memory.set(`late ${session}`, "yes");
      world.now = Math.max(world.now, phase.approval.expiresAt);
    }
    return memory.has(`late ${session}`);
  },
});

/** Stops all that is live in this session, and with it what is below. */
export const stops = (session: string, when: TreeMoment = "rest"): TreeDeed => ({
  when,
  act: (world) =>
    !world.has(session)
      ? false
      : world.ask(session, ({ api }) =>
          api.cancel(ADA, { id: `stop ${session}`, runId: null, all: true, reason: "enough" }),
        ),
});

/** Someone says something to this session while it is at work. */
export const steers = (session: string, when: TreeMoment): TreeDeed => ({
  when,
  act: (world) =>
    world.ask(session, ({ api }) =>
      api.steer(ADA, { id: `s ${session}`, parts: [{ type: "text", text: "Look at b as well." }] }),
    ),
});

/** A person answers what this session asks. */
export const answers = (session: string, value: string): TreeDeed => ({
  when: "rest",
  act: (world, memory) => {
    const phase = world.has(session) ? world.session(session).state.run?.phase : undefined;
    if (phase?.at === "waiting_human") memory.set(session, phase.question.question);
    const question = memory.get(session);
    if (question === undefined) return false;
    return world.ask(session, ({ api }) => api.answer(ADA, { runId: null, question, value }));
  },
});

/** The session is deleted with all that it knows. */
export const deletes = (session: string, when: TreeMoment = "rest"): TreeDeed => ({
  when,
  act: (world) => (world.has(session) ? world.ask(session, ({ api }) => api.remove(ADA)) : false),
});

const FAILS: Line = {
  fail: { class: "auth", message: "It failed.", retryAfterMs: null, usage: null },
};
const FEW: RunOptions = { profile: "standard", limits: { steps: 12 } };
const OUT = { url: "https://huts.example/a" };

/** The children of the first steps of the root. */
const LATER = [1, 2, 3, 4].map((step) => childOf(ROOT, `r1s${step}c0`));

/** Each session hands on what it was asked, twice in each of its replies. */
const BOMB = (_session: string, { step, tools }: ModelRequest): Line =>
  tools.length === 0 ? REPORTS : calls(...[1, 2].map((n) => hands(`${LARGE} Part ${n} of ${step}.`)));

export const TREE_SCRIPTS: readonly TreeScript[] = [
  {
    name: "one child that looks and reports",
    says: says({ [ROOT]: [calls(hands("Look at a."))], [FIRST]: [call("look", "a")] }),
    deeds: [asks("m1")],
  },
  {
    name: "two children at once, and a call beside them",
    says: says({
      [ROOT]: [calls(hands("Look at a."), hands("Put b."), ["look", { name: "c" }])],
      [FIRST]: [call("look", "a")],
      [SECOND]: [call("put", "b")],
    }),
    deeds: [asks("m1")],
  },
  {
    name: "a child that nobody waits for, whose report comes later",
    says: says({
      [ROOT]: [calls(hands("Look at a.", { wait: false })), call("look", "b"), REPORTS],
      [FIRST]: [call("look", "a"), call("put", "a")],
    }),
    deeds: [asks("m1")],
    // The report may come before a step or behind it.
    ends: "by chance",
  },
  {
    name: "children that nobody waits for, one after another",
    says: says({
      [ROOT]: ["a", "b", "c", "d"].map((name) => calls(hands(`Publish ${name}.`, { wait: false }))),
      ...Object.fromEntries(LATER.map((child, n) => [child, [call("publish", `n${n}`)]])),
    }),
    deeds: [asks("m1"), ...LATER.map((child) => decides(child, "approve"))],
    ends: "by chance",
    every: 3,
  },
  {
    name: "a child of a child",
    says: says({
      [ROOT]: [calls(hands("Have a looked at."))],
      [FIRST]: [calls(hands("Look at a."))],
      [GRANDCHILD]: [call("put", "a")],
    }),
    deeds: [asks("m1")],
  },
  {
    name: "a chain of three, whose last may hand on nothing",
    says: says({
      [ROOT]: [calls(hands(LARGE))],
      [FIRST]: [calls(hands(LARGE))],
      [GRANDCHILD]: [calls(hands(LARGE))],
      [GREAT_GRANDCHILD]: [calls(hands("Do it for me.")), call("put", "a")],
    }),
    deeds: [asks("m1", LONG)],
    every: 2,
  },
  {
    name: "a stop of the root while a child of its child is at work",
    says: says({
      [ROOT]: [calls(hands("Have a put."))],
      [FIRST]: [calls(hands("Put a."))],
      [GRANDCHILD]: [call("put", "a"), call("put", "b"), call("put", "c")],
    }),
    deeds: [asks("m1"), stops(ROOT, `tool ${GRANDCHILD} put`)],
    ends: "by chance",
  },
  {
    name: "a stop of the root while its children wait for people",
    says: says({
      [ROOT]: [calls(hands("Publish a."), hands("Publish b."))],
      [FIRST]: [call("publish", "a")],
      [SECOND]: [call("publish", "b")],
    }),
    deeds: [asks("m1"), stops(ROOT)],
    ends: "by chance",
  },
  {
    name: "a stop of the root while its word to a child is late",
    says: says({ [ROOT]: [calls(hands("Publish a."))], [FIRST]: [call("publish", "a")] }),
    deeds: [asks("m1"), stops(ROOT, "late startChild")],
    ends: "by chance",
  },
  {
    name: "a stop of one branch, while the other goes on",
    says: says({
      [ROOT]: [calls(hands("Publish a."), hands("Put b."))],
      [FIRST]: [call("publish", "a")],
      [SECOND]: [call("put", "b")],
    }),
    deeds: [asks("m1"), stops(FIRST)],
    ends: "by chance",
  },
  {
    name: "a child that fails beside one that does not",
    says: says({
      [ROOT]: [calls(hands("Look at a."), hands("Look at b."))],
      [FIRST]: [FAILS],
      [SECOND]: [call("look", "b")],
    }),
    deeds: [asks("m1")],
  },
  {
    name: "a child that asks a person",
    says: says({
      [ROOT]: [calls(hands("Find out which."))],
      [FIRST]: [calls(["ask_human", { question: "Which colour?" }])],
    }),
    deeds: [asks("m1"), answers(FIRST, "Red.")],
  },
  {
    name: "words for a child while it gives its answer",
    says: says({ [ROOT]: [calls(hands("Look at a."))], [FIRST]: [call("look", "a")] }),
    deeds: [asks("m1"), steers(FIRST, `model ${FIRST} r1s2`)],
    ends: "by chance",
  },
  {
    name: "what a child leaves over goes to the next one",
    says: says({
      [ROOT]: [calls(hands("Look at a.")), calls(hands("Look at b.")), calls(hands("Look at c."))],
      [FIRST]: [call("look", "a")],
    }),
    deeds: [asks("m1", FEW)],
    every: 2,
  },
  {
    name: "what a child has read outside comes up with its report",
    says: says({
      [ROOT]: [call("look", "own"), calls(hands("Read a.")), calls(["fetch_out", OUT])],
      [childOf(ROOT, "r1s2c0")]: [call("visit", "a")],
    }),
    deeds: [asks("m1"), decides(ROOT, "deny")],
  },
  {
    name: "a child that is given one tool",
    says: says({
      [ROOT]: [calls(hands("Look at a.", { tools: ["look"] }))],
      [FIRST]: [call("put", "a"), call("look", "a")],
    }),
    deeds: [asks("m1")],
  },
  {
    name: "a child of a run whose writing two people must allow",
    says: says({ [ROOT]: [calls(hands("Put a."))], [FIRST]: [call("put", "a")] }),
    deeds: [
      asks("m1", { ...WIDE, approval: { rules: { put: "ask" }, needed: 2, of: ["ada", "bob"] } }),
      decides(FIRST, "approve"),
      decides(FIRST, "approve", { who: person("bob"), as: "bob" }),
    ],
  },
  {
    name: "the parent is deleted while its child waits",
    says: says({
      [ROOT]: [calls(hands("Publish a."))],
      [FIRST]: [call("publish", "a")],
    }),
    deeds: [asks("m1"), deletes(ROOT)],
    ends: "by chance",
  },
  {
    name: "the parent is deleted while its word to a child is late",
    says: says({ [ROOT]: [calls(hands("Publish a."))], [FIRST]: [call("publish", "a")] }),
    deeds: [asks("m1"), deletes(ROOT, "late startChild")],
    ends: "by chance",
  },
  {
    name: "a child is deleted before it reports",
    says: says({
      [ROOT]: [calls(hands("Publish a."))],
      [FIRST]: [call("publish", "a")],
    }),
    deeds: [asks("m1"), deletes(FIRST)],
    ends: "by chance",
  },
  {
    name: "a bomb of children of children",
    says: BOMB,
    deeds: [asks("m1", LONG)],
    ends: "by chance",
    every: 100,
  },
];
