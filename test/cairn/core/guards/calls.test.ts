import { describe, expect, test } from "vitest";
import { checkCaps, checkOveruse, checkPoll } from "../../../../src/cairn/core/guards/quotas.ts";
import { checkUnknown, findReuse } from "../../../../src/cairn/core/guards/reuse.ts";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import type { CallMark } from "../../../../src/cairn/core/log/mark.ts";
import { checkBans } from "../../../../src/cairn/core/state/bans.ts";
import { markCall } from "../../../../src/cairn/core/state/call-digest.ts";
import type { GuardConfig, LoopMemory } from "../../../../src/cairn/core/state/loop-memory.ts";
import type { ToolTraits } from "../../../../src/cairn/core/log/tool.ts";
import { recordPersonInput } from "../../../../src/cairn/core/state/record-call.ts";
import { shapeOf, traitsOf } from "../../../corpus/loops/play.ts";
import type { TraceTool } from "../../../corpus/loops/trace.ts";
import { failed, ok, play, times, TOOLS, type Line } from "../state/script.ts";

const config: GuardConfig = { profile: "standard", onStuck: { action: "force_answer" } };
const DECLARED: Readonly<Record<string, TraceTool>> = { ...TOOLS, fetch: { cls: "read" } };
const declared = (tool: string): TraceTool | undefined => DECLARED[tool];
const markOf = (tool: string, args: Json): CallMark =>
  markCall(traitsOf(tool, declared(tool)), shapeOf(declared(tool)), args);
const traits = (tool: string, more: Partial<ToolTraits> = {}): ToolTraits => ({
  ...traitsOf(tool, declared(tool)),
  ...more,
});
const after = (...lines: Line[]): LoopMemory => play(["human", ...lines]).memory;

const read: Line = [ok("get", { page: "p1" }, { title: "A" })];
const write = (page: string, title: string): Line => [ok("put", { page, title }, { rev: title })];

describe("reuse of reads", () => {
  const call = markOf("get", { page: "p1" });
  const from = (memory: LoopMemory, now = 5000, more: Partial<ToolTraits> = {}) =>
    findReuse(memory, call, traits("get", more), now)?.from ?? null;

  test("gives the result of the equal call that ran", () => {
    expect(findReuse(after(read), call, traits("get"), 5000)?.verdict).toMatchObject({
      code: "REUSED_RESULT",
      evidence: { names: ["get", "r1s1c0"] },
    });
    expect(from(after([ok("get", { page: "p2" }, 1)]))).toBeNull();
  });

  test("not after an effect, not when it is old, not of a poll, not after a failure", () => {
    expect(from(after(read, write("p2", "B")))).toBeNull();
    expect(from(after(read), 2100 + 599_999)).toBe("r1s1c0");
    expect(from(after(read), 2100 + 600_000)).toBeNull();
    expect(from(after(read), 5000, { polling: { minIntervalMs: 1, maxPolls: 9 } })).toBeNull();
    expect(from(after([failed("get", { page: "p1" }, "server")]))).toBeNull();
  });

  test("not across what a person has said", () => {
    expect(from(recordPersonInput(after(read), 50))).toBeNull();
  });
});

describe("effects that are done", () => {
  const call = markOf("put", { page: "p1", title: "A" });
  const done = (memory: LoopMemory, more: Partial<ToolTraits> = {}) =>
    findReuse(memory, call, traits("put", more), 5000)?.verdict.code ?? null;

  test("are not done again until something else touches the target, or a person speaks", () => {
    const once = after(write("p1", "A"));
    expect(done(once)).toBe("ALREADY_DONE");
    expect(done(after(write("p1", "A"), write("p2", "B")))).toBe("ALREADY_DONE");
    expect(done(after(write("p1", "A"), write("p1", "B")))).toBeNull();
    expect(done(recordPersonInput(once, 50))).toBeNull();
    expect(done(once, { repeatable: true })).toBeNull();
    expect(done(after([failed("put", { page: "p1", title: "A" }, "server")]))).toBeNull();
  });

  test("a once call whose outcome nobody knows goes to a person", () => {
    const memory = after([ok("send", { to: "a" }, 1)]);
    const unknown = {
      ...memory,
      calls: memory.calls.map((entry) => ({ ...entry, status: "unknown" as const })),
    };
    const call = markOf("send", { to: "a" });
    expect(checkUnknown(unknown, call)?.code).toBe("NEEDS_APPROVAL");
    expect(checkUnknown(memory, call)).toBeNull();
    expect(checkUnknown(unknown, { ...call, effect: "keyed" })).toBeNull();
  });
});

describe("bans", () => {
  const now = { step: 2, at: 2200 };
  const code = (memory: LoopMemory, call: CallMark, at = now) => checkBans(memory, call, at)?.code ?? null;
  const call = markOf("get", { page: "p1" });
  const fail = (cls: string): Line => [failed("get", { page: "p1" }, cls)];

  test.each(["invalid_args", "too_large"])(
    "%s: never again, whoever asks; other arguments are free",
    (cls) => {
      const memory = after(fail(cls));
      expect(code(memory, call)).toBe("SIG_BANNED");
      expect(code(memory, markOf("get", { page: "p2" }))).toBeNull();
      expect(code(recordPersonInput(memory, 50), call)).toBe("SIG_BANNED");
    },
  );

  test("not_found: after any ok effect", () => {
    expect(code(after(fail("not_found")), call)).toBe("SIG_BANNED");
    expect(code(after(fail("not_found"), [ok("list", {}, { entries: [1] })]), call)).toBe("SIG_BANNED");
    expect(code(after(fail("not_found"), [ok("store_memory", { key: "a" }, 1)]), call)).toBe("SIG_BANNED");
    expect(code(after(fail("not_found"), write("p9", "A")), call)).toBeNull();
    expect(code(recordPersonInput(after(fail("not_found")), 50), call)).toBeNull();
  });

  test("conflict: after a read of the same target", () => {
    const lost: Line = [failed("put", { page: "p1", title: "A" }, "conflict")];
    const put = markOf("put", { page: "p1", title: "A" });
    const lines = (page: string): Line => [ok("look", { page }, { rev: 2 })];
    const tools = { ...TOOLS, look: { cls: "read", target: "page" } } as const;
    const played = (line: Line) => play(["human", lost, line], { tools }).memory;
    expect(code(played(lines("p2")), put)).toBe("SIG_BANNED");
    expect(code(played(lines("p1")), put)).toBeNull();
  });

  test.each(["timeout", "network", "server", "rate_limit"])("%s: a minute or two steps, once", (cls) => {
    const memory = after(fail(cls));
    expect(code(memory, call, { step: 2, at: 2200 })).toBe("SIG_BANNED");
    expect(code(memory, call, { step: 3, at: 2200 })).toBeNull();
    expect(code(memory, call, { step: 2, at: 2100 + 60_000 })).toBeNull();
    // Tried again and failed again: no ban, the detector has it.
    expect(code(after(fail(cls), fail(cls)), call, { step: 3, at: 3200 })).toBeNull();
  });

  test("internal: may be tried once more", () => {
    expect(code(after(fail("internal")), call)).toBeNull();
    expect(code(after(fail("internal"), fail("internal")), call)).toBe("SIG_BANNED");
  });

  test("auth and permission: the tool, for that host", () => {
    const memory = after([failed("fetch", { url: "https://a.org/x" }, "auth")]);
    expect(code(memory, markOf("fetch", { url: "https://a.org/y" }))).toBe("TOOL_BANNED");
    expect(code(memory, markOf("fetch", { url: "https://b.org/y" }))).toBeNull();
    expect(code(recordPersonInput(memory, 50), markOf("fetch", { url: "https://a.org/y" }))).toBeNull();
  });

  test("a call that a guard forbids: until a person speaks; one that only has to wait is not banned", () => {
    const denied = (why: string) => after([failed("get", { page: "p1" }, "policy", why)]);
    expect(code(denied("POLICY_DENY"), call)).toBe("SIG_BANNED");
    expect(code(recordPersonInput(denied("POLICY_DENY"), 50), call)).toBeNull();
    expect(code(denied("CIRCUIT_OPEN"), call)).toBeNull();
  });

  test("three failures in a row set the tool aside for three steps, the second time for the run", () => {
    const lost = (n: number): Line => [failed("get", { page: `x${n}` }, n % 2 ? "server" : "not_found")];
    const other = markOf("get", { page: "p9" });
    const three = after(...times(3, lost));
    expect([4, 5, 6, 7].map((step) => code(three, other, { step, at: 9000 }))).toEqual([
      "TOOL_COOLDOWN",
      "TOOL_COOLDOWN",
      "TOOL_COOLDOWN",
      null,
    ]);
    const six = play([
      "human",
      ...times(3, lost),
      ...times(3, (n) => [failed("get", { page: `y${n}` }, n % 2 ? "server" : "not_found")]),
    ]);
    // The ladder has stopped some of these before they ran; what matters is what was executed.
    expect(six.memory.counts["get"]?.executed).toBe(6);
    expect(code(six.memory, other, { step: 40, at: 90_000 })).toBe("TOOL_BANNED");
    expect(code(recordPersonInput(six.memory, 99), other, { step: 40, at: 90_000 })).toBeNull();
    expect(code(after(lost(1), lost(2), [ok("get", { page: "p1" }, 1)], lost(3)), other)).toBeNull();
  });
});

describe("caps", () => {
  const cap = (
    memory: LoopMemory,
    call: CallMark,
    more: Partial<ToolTraits>,
    now = { id: "", step: 2, at: 3000 },
  ) => checkCaps(memory, call, traits(call.tool, more), config, now)?.rule ?? null;
  const empties = (count: number): LoopMemory =>
    after(...times(count, (n) => [ok("get", { page: `x${n}`, w: "abcdefghijklmnopq".slice(0, n) }, [])]));
  const call = markOf("get", { page: "p1" });

  test("a poll before its time waits for it", () => {
    const memory = after([ok("job", { id: "j" }, 1)]);
    const poll = markOf("job", { id: "j" });
    expect(checkPoll(memory, poll, traits("job"), 2600)).toMatchObject({
      verdict: { code: "POLL_TOO_SOON" },
      until: 2100 + 5000,
    });
    expect(checkPoll(memory, poll, traits("job"), 7100)).toBeNull();
    expect(checkPoll(memory, markOf("job", { id: "k" }), traits("job"), 2600)).toBeNull();
    expect(checkPoll(after(read), call, traits("get"), 2600)).toBeNull();
  });

  test("in a run, a step and a minute, and from one call to the next", () => {
    const one = after(read);
    expect(cap(one, call, { maxCalls: 1 })).toBe("cap.run");
    expect(cap(one, call, { maxCalls: 2 })).toBeNull();
    expect(cap(one, call, { perMinute: 1 })).toBe("cap.minute");
    expect(cap(one, call, { perMinute: 1 }, { id: "", step: 2, at: 2100 + 60_000 })).toBeNull();
    expect(cap(one, call, { cooldownMs: 5000 })).toBe("cap.cooldown");
    expect(cap(one, call, { cooldownMs: 900 })).toBeNull();
    expect(cap(one, call, { perStep: 1 }, { id: "r1s1c1", step: 1, at: 3000 })).toBe("cap.step");
    expect(cap(one, call, { perStep: 1 }, { id: "r1s1c0", step: 1, at: 3000 })).toBeNull();
    expect(cap(one, call, { perStep: 1 })).toBeNull();
  });

  test("much used with nothing new: a note at five, the cap at fifteen", () => {
    const note = (memory: LoopMemory) =>
      checkOveruse(memory, { tool: "get", kind: "work", seq: 9 }, config)?.code ?? null;
    expect([4, 5, 6].map((count) => note(empties(count)))).toEqual([null, "TOOL_OVERUSE", null]);
    const memory = { ...empties(5), counts: { get: { executed: 15, fresh: 7 } } };
    expect(cap(memory, call, {})).toBe("cap.overuse");
    expect(cap({ ...memory, counts: { get: { executed: 15, fresh: 8 } } }, call, {})).toBeNull();
    expect(
      checkCaps(memory, call, traits("get"), { ...config, profile: "complex" }, { id: "", step: 2, at: 1 }),
    ).toBeNull();
  });

  test("effects on many targets are no overuse", () => {
    const bulk = after(...times(15, (n) => write(`p${n}`, "A")));
    expect(bulk.counts["put"]).toEqual({ executed: 15, fresh: 15 });
    expect(cap(bulk, markOf("put", { page: "p99", title: "A" }), {})).toBeNull();
  });
});
