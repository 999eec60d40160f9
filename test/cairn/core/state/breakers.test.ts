import { describe, expect, test } from "vitest";
import {
  BREAKER,
  BREAKERS_STORED,
  MODEL_PROBE_MS,
  RETRY_AFTER_MS_MAX,
} from "../../../../src/cairn/core/limits.ts";
import type { Entry } from "../../../../src/cairn/core/log/entry.ts";
import type { CallRecord } from "../../../../src/cairn/core/log/mark.ts";
import {
  callKey,
  checkCircuit,
  checkModel,
  recordFailure,
  foldBreakers,
  isProbe,
  modelKey,
  openUntil,
  recordSuccess,
} from "../../../../src/cairn/core/state/breakers.ts";
import { isPassing } from "../../../../src/cairn/core/log/model.ts";
import {
  type Breaker,
  type Breakers,
  EMPTY_STATE,
  type LiveRun,
} from "../../../../src/cairn/core/state/state.ts";
import type { Models } from "../../../../src/cairn/core/state/run/models.ts";

const AT = 1_000_000;
const NO_BREAKERS: Breakers = [];
const failed = (times: readonly number[], key = "tool:look", before: Breakers = NO_BREAKERS): Breakers =>
  times.reduce((breakers, at) => recordFailure(breakers, key, at), before);
const only = (breakers: Breakers): Breaker | undefined => breakers[0];

describe("what fails", () => {
  test("is left alone from its third failure in a row on, for half a minute to the millisecond", () => {
    expect(openUntil(failed([AT, AT + 1]), "tool:look", AT + 1)).toBeNull();
    const open = failed([AT, AT + 1, AT + 2]);
    const until = AT + 2 + BREAKER.openMs;
    expect(openUntil(open, "tool:look", until - 1)).toBe(until);
    expect(openUntil(open, "tool:look", until)).toBeNull();
    expect(openUntil(open, "tool:put", AT + 2)).toBeNull();
  });

  test("counts as in a row within ten minutes of the first, and begins anew after", () => {
    const last = AT + BREAKER.windowMs;
    expect(only(failed([AT, AT + 1, last]))?.fails).toBe(3);
    expect(only(failed([AT, AT + 1, last + 1]))).toMatchObject({ fails: 1, since: last + 1, openUntil: 0 });
    expect(only(failed([AT, AT + 1, last + 1, last + 2]))).toMatchObject({ fails: 2, since: last + 1 });
  });

  test("again when it is tried is left alone twice as long, to five minutes at most, whenever that is", () => {
    let breakers = failed([AT, AT, AT]);
    const spans: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      spans.push(only(breakers)?.spanMs ?? 0);
      // Long after the window of the first failures: it has not worked since.
      const at = (only(breakers)?.openUntil ?? 0) + (tries === 0 ? 0 : 2 * BREAKER.windowMs);
      breakers = recordFailure(breakers, "tool:look", at);
      expect(openUntil(breakers, "tool:look", at)).toBe(at + (only(breakers)?.spanMs ?? 0));
    }
    expect(spans.map((ms) => ms / 1_000)).toEqual([30, 60, 120, 240, 300, 300]);
  });

  test("while it is left alone was under way before, and makes it no longer", () => {
    const open = failed([AT, AT, AT]);
    const more = recordFailure(open, "tool:look", AT + 10);
    expect(only(more)).toMatchObject({ spanMs: BREAKER.openMs, openUntil: AT + BREAKER.openMs, fails: 4 });
  });

  test("is remembered beside others, so many of them, the newest", () => {
    const two = failed([AT], "tool:put", failed([AT]));
    expect(two.map(({ key }) => key)).toEqual(["tool:look", "tool:put"]);
    const many = Array.from({ length: BREAKERS_STORED + 2 }, (_, index) => `tool:t${index}`);
    const kept = many.reduce<Breakers>((breakers, key) => recordFailure(breakers, key, AT), NO_BREAKERS);
    expect(kept.map(({ key }) => key)).toEqual(many.slice(2));
  });

  test("and works again is forgotten, and nothing else is", () => {
    const two = failed([AT], "tool:put", failed([AT]));
    expect(recordSuccess(two, "tool:look").map(({ key }) => key)).toEqual(["tool:put"]);
    expect(recordSuccess(two, "tool:list")).toBe(two);
  });

  test("is tried by a call that goes by itself once it was left alone", () => {
    expect(isProbe(failed([AT, AT]), "tool:look")).toBe(false);
    expect(isProbe(failed([AT, AT, AT]), "tool:look")).toBe(true);
    expect(isProbe(failed([AT, AT, AT]), "tool:put")).toBe(false);
  });

  test("is the host that a call names, else its tool", () => {
    expect(callKey({ tool: "fetch", scope: "a.org", target: null })).toBe("host:a.org");
    expect(callKey({ tool: "put", scope: "p1", target: "p1" })).toBe("tool:put");
    expect(callKey({ tool: "look", target: null })).toBe("tool:look");
  });

  test("is a provider's where that says nothing of the request", () => {
    expect((["rate_limit", "overloaded", "network", "timeout", "cut_off"] as const).every(isPassing)).toBe(
      true,
    );
    expect((["auth", "invalid_request", "too_large"] as const).some((one) => isPassing(one as never))).toBe(
      false,
    );
  });
});

describe("the rows of a run", () => {
  const entries = [
    { id: "c0", tool: "look", target: null },
    { id: "c1", tool: "put", target: "p1", scope: "p1" },
  ] as unknown as CallRecord[];
  const run = { run: "r1", models: { current: "a:" }, loop: { calls: entries } } as unknown as LiveRun;
  const both = failed([AT, AT], "tool:put", failed([AT, AT]));
  const after = (
    kind: string,
    body: object,
    breakers: Breakers = both,
  ): readonly (readonly [string, number])[] =>
    foldBreakers(breakers, run, { at: AT + 5, kind, body } as unknown as Entry).map(({ key, fails }) => [
      key,
      fails,
    ]);
  const settled = { call: "c0", status: "ok", failure: null, attempt: 1, reusedFrom: null };
  const same = [
    ["tool:look", 2],
    ["tool:put", 2],
  ];

  test("say which call works, and which does not", () => {
    expect(after("call_settled", settled)).toEqual([["tool:put", 2]]);
    const failure = (cls: string): object => ({ ...settled, status: "error", failure: { class: cls } });
    expect(after("call_settled", failure("server"))).toEqual([
      ["tool:put", 2],
      ["tool:look", 3],
    ]);
    // A tool that answers “not found” is available.
    expect(after("call_settled", failure("not_found"))).toEqual([["tool:put", 2]]);
    expect(after("verdict", { act: "retry", call: "c0" })).toEqual([
      ["tool:put", 2],
      ["tool:look", 3],
    ]);
  });

  test.each<readonly [string, string, object]>([
    ["a call that did not run", "call_settled", { ...settled, attempt: 0 }],
    ["one that was answered by an earlier one", "call_settled", { ...settled, reusedFrom: "c9" }],
    ["one that a guard skipped", "call_settled", { ...settled, status: "refused", skip: "TOOL_CAP" }],
    ["one whose outcome nobody knows", "call_settled", { ...settled, status: "unknown" }],
    ["one that is known no more", "call_settled", { ...settled, call: "c9" }],
    ["another word of a guard", "verdict", { act: "note", call: "c0" }],
    ["an answer", "answer", { text: "So it is." }],
  ])("say nothing by %s", (_name, kind, body) => expect(after(kind, body)).toEqual(same));

  test("say which model answers, and which is down", () => {
    const models = failed([AT, AT], modelKey("b:"), failed([AT, AT], modelKey("a:")));
    expect(after("model_replied", { finish: "stop" }, models)).toEqual([["model:b:", 2]]);
    expect(after("model_replied", { finish: "aborted" }, models)).toHaveLength(2);
    expect(after("model_failed", { model: "b:", class: "overloaded" }, models)).toEqual([
      ["model:a:", 2],
      ["model:b:", 3],
    ]);
    expect(after("model_failed", { model: "b:", class: "auth" }, models)).toEqual([
      ["model:a:", 2],
      ["model:b:", 2],
    ]);
  });
});

test("a call of what is left alone is told until when, and how long that is", () => {
  const open = failed([AT, AT, AT]);
  const call = { tool: "look", target: null };
  const verdict = checkCircuit(open, call, AT + 10_500);
  expect(verdict).toMatchObject({ code: "CIRCUIT_OPEN", evidence: { numbers: { retryAt: AT + 30_000 } } });
  expect(verdict?.hint).toContain("for 20 s");
  expect(checkCircuit(open, call, AT + 30_000)).toBeNull();
});

describe("whoever says when to come back", () => {
  const told = (retryAt: number, before: Breakers = NO_BREAKERS): Breakers =>
    recordFailure(before, "tool:look", AT, retryAt);

  test("is left alone until then, from the first failure on and by every call", () => {
    const breakers = told(AT + 120_000);
    expect(openUntil(breakers, "tool:look", AT + 119_999)).toBe(AT + 120_000);
    expect(openUntil(breakers, "tool:look", AT + 120_000)).toBeNull();
    const hint = checkCircuit(breakers, { tool: "look", target: null }, AT)?.hint;
    expect(hint).toContain("for 120 s");
    expect(hint).not.toContain("several times");
  });

  test("does not shorten what stands, and closes nothing for longer than 15 minutes", () => {
    expect(only(told(AT + 1, failed([AT, AT, AT])))?.openUntil).toBe(AT + BREAKER.openMs);
    expect(only(told(AT + 365 * 86_400_000))?.openUntil).toBe(AT + RETRY_AFTER_MS_MAX);
  });

  test("is tried by more than one call then: it has not failed again and again", () => {
    expect(isProbe(told(AT + 120_000), "tool:look")).toBe(false);
  });
});

describe("the model of a step", () => {
  const run = (more: Partial<Models> = {}): LiveRun => {
    const models = { current: "a:", fallbacks: ["b:", "c:"], fallbackSince: null, ...more };
    return { run: "r1", step: 1, models } as unknown as LiveRun;
  };
  const down = (...models: readonly (readonly [string, number])[]): Breakers =>
    models.flatMap(([model, at]) => failed([at, at, at], modelKey(model)));
  const turn = (breakers: Breakers, live = run(), at = AT) => {
    const found = checkModel({ ...EMPTY_STATE, breakers }, live, at);
    return found === null ? null : [found.verdict.code, found.models, found.until];
  };

  test("is the one that was asked before while it answers, whatever became of the others", () => {
    expect(turn(NO_BREAKERS)).toBeNull();
    expect(turn(down(["b:", AT]))).toBeNull();
    expect(turn(down(["a:", AT]), run(), AT + 30_000)).toBeNull();
  });

  test("is the next one that may be asked; each keeps its turn", () => {
    expect(turn(down(["a:", AT]))).toEqual(["MODEL_DOWN", ["b:", "c:", "a:"], AT]);
    expect(turn(down(["a:", AT], ["b:", AT]))).toEqual(["MODEL_DOWN", ["c:", "a:", "b:"], AT]);
  });

  test("is waited for where none may be asked: the one that may be first", () => {
    const all = down(["a:", AT], ["b:", AT - 10_000], ["c:", AT - 5_000]);
    expect(turn(all)).toEqual(["MODEL_DOWN", ["b:", "c:", "a:"], AT + 20_000]);
  });

  test("is the first again after ten minutes without it, where it may be asked", () => {
    const fallbackSince = { model: "a:", since: AT };
    const live = run({ current: "b:", fallbacks: ["c:", "a:"], fallbackSince });
    expect(turn(NO_BREAKERS, live, AT + MODEL_PROBE_MS - 1)).toBeNull();
    expect(turn(NO_BREAKERS, live, AT + MODEL_PROBE_MS)).toEqual([
      "MODEL_PROBE",
      ["a:", "b:", "c:"],
      AT + MODEL_PROBE_MS,
    ]);
    const still = down(["a:", AT + MODEL_PROBE_MS]);
    expect(turn(still, live, AT + MODEL_PROBE_MS)).toBeNull();
  });
});
