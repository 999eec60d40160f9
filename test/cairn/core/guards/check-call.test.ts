import { beforeAll, describe, expect, test } from "vitest";
import { objectionTo, settleObjected, type Objection } from "../../../../src/cairn/core/guards/check-call.ts";
import { ASK_HUMAN } from "../../../../src/cairn/core/entries/question.ts";
import type { Entry } from "../../../../src/cairn/core/log/entry.ts";
import type { CallRecord } from "../../../../src/cairn/core/log/mark.ts";
import type { ToolTraits } from "../../../../src/cairn/core/log/tool.ts";
import { callKey, recordFailure } from "../../../../src/cairn/core/state/breakers.ts";
import { NO_LOOP_MEMORY, type LoopMemory } from "../../../../src/cairn/core/state/loop-memory.ts";
import type { Call } from "../../../../src/cairn/core/state/run/phase.ts";
import type { Breakers, LiveRun, Sent } from "../../../../src/cairn/core/state/state.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

/** Every objection to a call, their order, what a person's yes overrides, and the entries of a call that was not run. */

const NOW = 1_000_000;
const STEP = 5;
let live: LiveRun;

beforeAll(async () => {
  const platform = new FakePlatform([{ text: "Hello." }]);
  platform.onModel = () => {
    if (platform.state.run !== null) live = platform.state.run;
  };
  platform.say("go");
  await platform.settle();
});

const TRAITS: ToolTraits = {
  tool: "put",
  effect: "keyed",
  kind: "work",
  polling: null,
  repeatable: false,
  freshMs: 600_000,
  maxCalls: null,
};
const ACCESS: NonNullable<Call["access"]> = { tier: "open", reads: "none", reach: "none", public: false };
const CALL: Call = {
  call: "r1s5c0",
  tool: "put",
  effect: "keyed",
  gate: "never",
  argsDigest: "d",
  argsAt: 90,
  duplicateOf: null,
  state: { at: "open" },
  attempts: 0,
  interruptions: 0,
  previewInterruptions: 0,
  tries: 0,
  asked: 0,
  traits: TRAITS,
  access: ACCESS,
};
/** The call itself, which waits. */
const PENDING: CallRecord = {
  id: CALL.call,
  seq: 99,
  step: STEP,
  tool: "put",
  effect: "keyed",
  kind: "work",
  sig: "s",
  mask: "m",
  res: null,
  target: "page:p1",
  value: "v",
  query: null,
  ids: null,
  empty: false,
  status: "pending",
  error: null,
  fresh: false,
  at: NOW,
};
/** An equal call that ran before it, long enough ago. */
const BEFORE: CallRecord = {
  ...PENDING,
  id: "r1s1c0",
  seq: 10,
  step: 1,
  res: "r",
  status: "ok",
  fresh: true,
  at: NOW - 500_000,
};
const MESSAGE = { kind: "progress", chars: 10, words: null } as const;
const SIG_BAN = { sig: "s", tool: "put", error: "not_found", until: "effect", value: null } as const;
const TOOL_BAN = { sig: null, tool: "put", error: "auth", until: "human", value: null } as const;
const BLOCKED: LoopMemory["stuck"]["blocked"][number] = {
  by: "sig",
  value: "s",
  rule: "same",
  untilStep: null,
};

interface Case {
  readonly call?: Partial<Call>;
  readonly entry?: Partial<CallRecord>;
  readonly before?: readonly CallRecord[];
  readonly memory?: object;
  readonly run?: Partial<LiveRun>;
  readonly breakers?: Breakers;
  readonly sent?: readonly Sent[];
}

function found({
  call,
  entry,
  before = [],
  memory = {},
  run = {},
  breakers = [],
  sent = [],
}: Case): Objection | null {
  const loop: LoopMemory = { ...NO_LOOP_MEMORY, calls: [...before, { ...PENDING, ...entry }], ...memory };
  const config = { profile: "standard", onStuck: { action: "force_answer" } } as const;
  return objectionTo({ ...live, loop, ...run }, { ...CALL, ...call }, config, {
    step: STEP,
    at: NOW,
    breakers,
    sent,
  });
}

const brief = (of: Case): unknown => {
  const objection = found(of);
  if (objection === null) return null;
  const stored = "stored" in objection ? objection.stored : null;
  return [objection.act, objection.verdict.code, stored];
};

const OPEN: Breakers = [0, 1, 2].reduce<Breakers>(
  (breakers) => recordFailure(breakers, callKey(PENDING), NOW),
  [],
);
const sentBefore: Sent = { to: "page:p1", value: "v", at: NOW - 1_000, chars: 10, words: null };
const read = { effect: "read", traits: { ...TRAITS, effect: "read" } } as const;
const once = { effect: "once", traits: { ...TRAITS, effect: "once" } } as const;
const polling = { minIntervalMs: 600_000, maxPolls: 9 };
const question = {
  call: { tool: ASK_HUMAN, traits: { ...TRAITS, tool: ASK_HUMAN, repeatable: true } },
  entry: { tool: ASK_HUMAN },
  before: [{ ...BEFORE, tool: ASK_HUMAN, fresh: false }],
} as const;

const CASES: Readonly<Record<string, readonly [made: Case, objection: readonly unknown[]]>> = {
  right: [{ call: { access: { ...ACCESS, tier: "danger" } } }, ["skip", "ADMIN_ONLY", null]],
  block: [
    { memory: { stuck: { ...NO_LOOP_MEMORY.stuck, blocked: [BLOCKED] } } },
    ["skip", "LOOP_BLOCK", null],
  ],
  send: [{ entry: { message: MESSAGE }, sent: [sentBefore] }, ["skip", "SEND_DUPLICATE", null]],
  "read again": [
    { call: read, entry: { effect: "read" }, before: [{ ...BEFORE, effect: "read" }] },
    ["reuse", "REUSED_RESULT", "r1s1c0"],
  ],
  "done already": [{ before: [BEFORE] }, ["reuse", "ALREADY_DONE", "r1s1c0"]],
  ban: [{ memory: { bans: [SIG_BAN] } }, ["skip", "SIG_BANNED", null]],
  poll: [
    {
      call: { effect: "read", traits: { ...read.traits, polling } },
      entry: { effect: "read" },
      before: [BEFORE],
    },
    ["wait", "POLL_TOO_SOON", null],
  ],
  cap: [
    { call: { traits: { ...TRAITS, maxCalls: 1 } }, memory: { counts: { put: { executed: 1, fresh: 1 } } } },
    ["skip", "TOOL_CAP", null],
  ],
  breaker: [{ breakers: OPEN }, ["skip", "CIRCUIT_OPEN", null]],
  question: [question, ["skip", "CLARIFY_REPEAT", "r1s1c0"]],
  unknown: [
    { call: once, entry: { effect: "once" }, before: [{ ...BEFORE, effect: "once", status: "unknown" }] },
    ["gate", "NEEDS_APPROVAL", null],
  ],
};

/** A case with what makes another one object too. */
const both = (one: Case, other: Case): Case => ({
  call: { ...other.call, ...one.call },
  entry: { ...other.entry, ...one.entry },
  before: [...(other.before ?? []), ...(one.before ?? [])],
  memory: { ...other.memory, ...one.memory },
  run: { ...other.run, ...one.run },
  breakers: one.breakers ?? other.breakers ?? [],
  sent: one.sent ?? other.sent ?? [],
});
const yes: Partial<Call> = {
  state: {
    at: "decided",
    by: { approval: "a", decision: "approve", actor: "ada", reason: null, digest: "d", basis: null },
  },
};

const of = (name: string): Case => {
  const [known] = CASES[name] ?? [];
  if (known === undefined) throw new Error(`there is no case ${name}`);
  return known;
};

describe("an objection", () => {
  test.each(Object.entries(CASES))("by its %s, and to nothing else", (_, [made, objection]) => {
    expect(brief(made)).toEqual(objection);
    expect(brief({})).toBeNull();
  });

  test.each(Object.entries(CASES))("by its %s is none to an attempt that was begun", (_, [made]) => {
    expect(brief(both({ call: { attempts: 1 } }, made))).toBeNull();
  });

  test.each(Object.entries(CASES))(
    "by its %s: a person's yes overrides all but rights and breakers",
    (name, [made]) => {
      const stays = name === "right" || name === "breaker";
      expect(brief(both({ call: yes }, made))).toEqual(stays ? CASES[name]?.[1] : null);
    },
  );

  test("of several is the first in their order", () => {
    const order: readonly (readonly [Case, string])[] = [
      [both(of("right"), of("block")), "ADMIN_ONLY"],
      [both(of("block"), of("send")), "LOOP_BLOCK"],
      [both(of("send"), of("ban")), "SEND_DUPLICATE"],
      [both(of("done already"), of("ban")), "ALREADY_DONE"],
      [both(of("ban"), of("cap")), "SIG_BANNED"],
      [both(of("poll"), of("cap")), "POLL_TOO_SOON"],
      [both(of("cap"), of("breaker")), "TOOL_CAP"],
      [both(of("breaker"), of("unknown")), "CIRCUIT_OPEN"],
    ];
    expect(order.map(([one]) => found(one)?.verdict.code)).toEqual(order.map(([, code]) => code));
  });

  test("by a ban of the very message is none, because nobody has read it; by one of its tool it is", () => {
    const message = { entry: { message: MESSAGE } };
    expect(brief(both(message, { memory: { bans: [SIG_BAN] } }))).toBeNull();
    expect(brief(both(message, { memory: { bans: [TOOL_BAN] } }))).toEqual(["skip", "TOOL_BANNED", null]);
  });

  test("by its cap in a step does not count the call itself, nor those after it", () => {
    const after = { ...PENDING, id: "r1s5c1", seq: 100 };
    const calls = { calls: [{ ...PENDING, sig: "own" }, after] };
    const capped = { call: { traits: { ...TRAITS, perStep: 1 } }, memory: calls };
    expect(brief(capped)).toBeNull();
    const first = { ...PENDING, id: "r1s5x0", seq: 98, sig: "other" };
    expect(brief({ ...capped, memory: { calls: [first, ...calls.calls] } })).toEqual([
      "skip",
      "TOOL_CAP",
      null,
    ]);
  });

  test("of a heartbeat with nothing new keeps its words back", () => {
    const request = { ...live.request, source: "heartbeat" } as const;
    expect(brief({ run: { request }, entry: { message: MESSAGE } })).toEqual(["skip", "AUTONOMY_DENY", null]);
  });

  test("is a denial where a guard throws", () => {
    expect(brief({ memory: { stuck: null } })).toEqual(["skip", "GUARD_ERROR", null]);
  });
});

describe("a call that was not run", () => {
  const settled = (call: string, body: object): Entry =>
    ({
      kind: "call_settled",
      seq: 10,
      at: 1,
      run: "r1",
      step: "r1s1",
      body: { call, ...body },
    }) as unknown as Entry;
  const changes = [{ op: "create", type: "page", id: "p1", name: "About" }] as const;
  const earlier = {
    status: "ok",
    observation: "THE RESULT",
    chars: 10,
    failure: null,
    changes,
    mark: { res: "r" },
  };
  const entries = [settled("r1s1c0", earlier), settled("r1s2c0", { ...earlier, observation: "ANOTHER" })];
  const verdict = { code: "CODE", rule: "rule", evidence: { seqs: [] }, hint: "The hint." };
  const bodyOf = (objection: Parameters<typeof settleObjected>[4]): object => {
    const [entry, ...more] = settleObjected(live, [CALL], entries, CALL, objection);
    expect(more).toEqual([]);
    return entry?.body ?? {};
  };

  test("has the earlier result, with why, and has in focus what that call had", () => {
    expect(bodyOf({ act: "reuse", verdict, stored: "r1s1c0" })).toEqual({
      call: CALL.call,
      tool: "put",
      status: "ok",
      observation: "THE RESULT\n[The hint.]",
      chars: 10,
      failure: null,
      ms: 0,
      mark: { res: "r" },
      changes: [{ op: "touch", type: "page", id: "p1", name: "About" }],
      attempt: 0,
      reusedFrom: "r1s1c0",
    });
  });

  test("that was skipped is refused, with the earlier result where there is one", () => {
    const refused = {
      call: CALL.call,
      status: "refused",
      skip: "CODE",
      reusedFrom: null,
      failure: { class: "policy", code: "code", message: "The hint.", details: { rule: "rule" } },
    };
    const with_ = bodyOf({ act: "skip", verdict, stored: "r1s1c0" });
    expect(with_).toMatchObject(refused);
    expect(with_).not.toHaveProperty("changes");
    expect((with_ as { observation: string }).observation).toMatch(
      /"code":"code".*\nIts last result, from r1s1c0:\nTHE RESULT$/,
    );
    for (const stored of [null, "r1s9c9"]) {
      const without = bodyOf({ act: "skip", verdict, stored });
      expect(without).toMatchObject(refused);
      expect((without as { observation: string }).observation).not.toContain("Its last result");
    }
  });
});
