import { describe, expect, test } from "vitest";
import { bringsOutside, readFromOf, unhide } from "../../../../src/cairn/core/guards/check-result.ts";
import { mayOffer, permissionOf, ruleOfTwoEntry } from "../../../../src/cairn/core/guards/permissions.ts";
import { FENCED_CHARS_MAX } from "../../../../src/cairn/core/limits.ts";
import type { ToolCard } from "../../../../src/cairn/core/log/tool.ts";
import {
  NO_SAFETY,
  UNKNOWN_RUN,
  TAINTED_AND_PRIVATE,
  UNTAINTED,
} from "../../../../src/cairn/core/state/safety.ts";
import type { Taint, EndedRun, LiveRun } from "../../../../src/cairn/core/state/state.ts";
import type { Call } from "../../../../src/cairn/core/state/run/phase.ts";
import { fence, isFenced, unfence } from "../../../../src/cairn/core/text/untrusted.ts";

const TAINTED: Taint = { tainted: { seq: 2, by: "visit" }, private: null };
const run = (taint: Taint = UNTAINTED, more: Partial<LiveRun> = {}): LiveRun =>
  ({
    run: "r3",
    step: 4,
    firstSeq: 1,
    input: { all: [5], unread: [] },
    request: { role: "member", source: "api" },
    safety: { ...NO_SAFETY, taint },
    ...more,
  }) as unknown as LiveRun;
const call = (more: Partial<Call> = {}): Call =>
  ({
    call: "r3s4c0",
    tool: "fetch_out",
    gate: "never",
    argsAt: 9,
    access: { tier: "write", reads: "outside", reach: "external", public: false },
    ...more,
  }) as Call;
const ended = (name: string, taint: Taint): EndedRun => ({ run: name, taint }) as EndedRun;

describe("reading on in what was stored", () => {
  const from = (id: unknown, tool = "read_observation") => readFromOf(run(), tool, { id } as never);

  test("names the run that it reads in, where that is another, or that nobody can tell", () => {
    expect(from("r1s1c0")).toBe("r1");
    expect(from("r3s1c0")).toBeUndefined();
    expect(from("input-5-0")).toBeUndefined();
    expect(from("input-4-0")).toBe(UNKNOWN_RUN);
    expect(from("nonsense")).toBe(UNKNOWN_RUN);
    expect(from(7)).toBeUndefined();
    expect(from("r1s1c0", "look")).toBeUndefined();
  });

  test("brings a stranger's words where the run that it reads in had read them", () => {
    const read = { tool: "read_observation", access: undefined };
    const before = [ended("r1", TAINTED), ended("r2", UNTAINTED)];
    const brings = (taint: Taint, of: string | undefined): boolean =>
      bringsOutside(run(taint), before, read, of);
    expect([brings(UNTAINTED, "r1"), brings(UNTAINTED, "r2"), brings(UNTAINTED, undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([brings(TAINTED, undefined), brings(TAINTED, "r2"), brings(UNTAINTED, UNKNOWN_RUN)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(bringsOutside(run(TAINTED), before, { tool: "look", access: undefined }, undefined)).toBe(false);
    expect(bringsOutside(run(), [], call(), undefined)).toBe(true);
  });
});

test("what nobody sees is taken out of texts, lists and the names of fields", () => {
  expect(unhide({ "na\u200bme": ["a\u202eb", { deep: "c\u200bd" }], count: 1, none: null })).toEqual({
    name: ["ab", { deep: "cd" }],
    count: 1,
    none: null,
  });
});

describe("a fence", () => {
  test("is not taken for one where it holds what nobody sees, or where its ends overlap", () => {
    const fenced = fence("Some words.", "p7");
    expect(isFenced(fenced, "p7")).toBe(true);
    expect(isFenced(fenced.replace("words", "wo\u200brds"), "p7")).toBe(false);
    expect(isFenced(fence("", "p7"), "p7")).toBe(true);
    expect(isFenced('<untrusted source="p7">\n</untrusted>', "p7")).toBe(false);
  });

  test("is taken off whole, and of what is none nothing is", () => {
    expect(unfence(fence("Some words.", "p7"))).toBe("Some words.");
    const open = '<untrusted source="p7">\nSome words that are cut off here, far from any end';
    expect(unfence(open)).toBe(open);
    expect(unfence("Some words.\n</untrusted>")).toBe("Some words.\n</untrusted>");
  });

  test("cuts no character in two", () => {
    const odd = unfence(fence(`a${"😀".repeat(FENCED_CHARS_MAX)}`, "p7"));
    const even = unfence(fence("😀".repeat(FENCED_CHARS_MAX), "p7"));
    for (const [text, kept] of [
      [odd, FENCED_CHARS_MAX - 1],
      [even, FENCED_CHARS_MAX],
    ] as const) {
      expect(text.isWellFormed()).toBe(true);
      expect(text.indexOf("\n[cut here")).toBe(kept);
    }
  });
});

test("a call that no tool stands behind is denied", () => {
  const { access: _none, ...unknown } = call({ gate: "never" });
  expect(permissionOf(run(), unknown).act).toBe("deny");
});

test("a tool is offered where it may run or be asked about", () => {
  const card = (tier: string): ToolCard =>
    ({
      name: "t",
      gate: "never",
      tier,
      reads: "public",
      reach: "none",
      public: false,
      shape: {},
    }) as unknown as ToolCard;
  const offered = (role: "admin" | "member" | "guest"): boolean[] =>
    ["open", "write", "publish", "danger"].map((tier) =>
      mayOffer(run(UNTAINTED, { request: { role, source: "api" } as never }), card(tier)),
    );
  expect(offered("admin")).toEqual([true, true, true, true]);
  expect(offered("member")).toEqual([true, true, true, false]);
  expect(offered("guest")).toEqual([false, false, false, false]);
});

describe("the rule of two", () => {
  const entry = (taint: Taint, more: Partial<Call> = {}, notified: number | null = null) => {
    const live = run(taint);
    return ruleOfTwoEntry({ ...live, safety: { ...live.safety, notified } }, call(more));
  };
  const both: Taint = { tainted: { seq: 2, by: "visit" }, private: { seq: 3, by: "look" } };

  test("is told once, with the rows that it goes by", () => {
    expect(entry(both)?.body.evidence).toEqual([2, 3, 9]);
    expect(entry(both, {}, 8)).toBeNull();
    // Data of unknown origin appears in no entry.
    expect(entry(TAINTED_AND_PRIVATE)?.body.evidence).toEqual([9]);
  });

  test("is told of no call that is asked about anyway, stays inside, or is older", () => {
    const access = { tier: "publish", reads: "public", reach: "external", public: false } as const;
    expect(entry(both, { gate: "ask", access })).toBeNull();
    expect(entry(both, { access: { ...access, tier: "write", reach: "none" } })).toBeNull();
    expect(entry(both, { access: { ...access, tier: "write" } })).not.toBeNull();
    expect([entry(TAINTED), entry(UNTAINTED)]).toEqual([null, null]);
  });
});
