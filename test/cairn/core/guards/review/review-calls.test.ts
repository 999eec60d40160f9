import { expect, test } from "vitest";
import { reviewCallsOf } from "../../../../../src/cairn/core/guards/review/evidence.ts";
import { review } from "../../../../../src/cairn/core/guards/review/review.ts";
import type { Entry } from "../../../../../src/cairn/core/log/entry.ts";
import { run } from "./review-run.ts";
import { STRICT } from "./strict-words.ts";

const traits = { kind: "work", verbs: ["update"] };
let seq = 0;
const entry = (kind: string, body: unknown, of = "r1"): Entry =>
  ({ seq: ++seq, at: seq, v: 1, run: of, step: `${of}s1`, kind, body }) as unknown as Entry;
const settled = (call: string, more: object = {}, of = "r1"): Entry =>
  entry(
    "call_settled",
    { call, tool: "find", status: "ok", observation: "alpha", failure: null, reusedFrom: null, ...more },
    of,
  );
const proposed = (...calls: readonly string[]): Entry =>
  entry("model_replied", {
    calls: calls.map((call) => ({
      call,
      tool: "find",
      title: "Search",
      effect: "read",
      traits,
      input: { query: `Über ${call}` },
    })),
  });

test("the calls of a run and of no other, with what the rows say of them", () => {
  const entries = [
    proposed("a", "b"),
    settled("a"),
    settled("x", {}, "r2"),
    settled("b", { status: "error", failure: { class: "timeout" } }),
  ];
  expect(reviewCallsOf("r1", entries)).toMatchObject([
    {
      id: "a",
      title: "Search",
      status: "ok",
      error: null,
      fresh: true,
      result: "alpha",
      verbs: ["update"],
      input: { query: "Über a" },
    },
    { id: "b", status: "error", error: "timeout", fresh: false, result: "", seq: entries[3]!.seq },
  ]);
});

test("a result is fresh once, and only when it holds something", () => {
  const outputs = ["alpha", "alpha", "beta", "", "[]", '{"items":[],"total":0}', '{"total":0}'];
  const entries = outputs.map((observation, index) => settled(`c${index}`, { observation }));
  expect(reviewCallsOf("r1", entries).map((call) => call.fresh)).toEqual([
    true,
    false,
    true,
    false,
    false,
    false,
    true,
  ]);
  expect(reviewCallsOf("r1", [settled("c", { reusedFrom: "b" })])).toMatchObject([
    { status: "reused", fresh: false },
  ]);
});

test("what was denied, refused or stopped was never tried, so that it is no failure to settle", () => {
  const entries = ["denied", "refused", "cancelled"].map((status) =>
    settled(status, { status, failure: { class: "policy" } }),
  );
  const calls = reviewCallsOf("r1", entries);
  expect(calls.map((call) => call.status)).toEqual(["denied", "skipped", "skipped"]);
  expect(review(run("Look at it", calls, "The hero is fine as it is."), STRICT)).toBeNull();
});
