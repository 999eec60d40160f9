import { describe, expect, test } from "vitest";
import { axisOf } from "../../../src/page/trace/axis.ts";
import { applyFilter, countKinds, NO_FILTER } from "../../../src/page/trace/filter.ts";
import { beginSpan, earlier, endSpan, fitSpan, later, SPAN_STEPS } from "../../../src/page/trace/span.ts";
import { denied, groupsOf, itemsOf } from "./trace-fixture.ts";

describe("a filter", () => {
  test("by kind, by trouble and by words leaves what fits, and steps without any are left out", async () => {
    const groups = groupsOf(await denied());
    const shown = (filter: Partial<typeof NO_FILTER>): string[] =>
      applyFilter(groups, { ...NO_FILTER, ...filter }).flatMap(({ items }) =>
        items.map(({ title }) => title),
      );
    expect(applyFilter(groups, NO_FILTER)).toBe(groups);
    expect(shown({ kinds: new Set(["person"]) })).toEqual(["Approval requested: Publish a"]);
    expect(shown({ trouble: true })).toEqual([
      "nope",
      "The model did not answer: too many requests at the moment",
      "Approval requested: Publish a",
      "Publish",
    ]);
    // In the words that are shown, and in the entries behind them.
    expect(shown({ text: "NOT today" })).toEqual(["Approval requested: Publish a", "Publish", "The answer"]);
    expect(shown({ text: "r1s1c2" })).toContain("Look");
    expect(shown({ text: "nowhere" })).toEqual([]);
    expect(shown({ kinds: new Set(["tool"]), trouble: true, text: "nope" })).toEqual(["nope"]);
    const counts = countKinds(groups);
    expect(counts.trouble).toBe(4);
    expect(counts.kinds.get("tool")).toBe(4);
  });
});

describe("the scale of time", () => {
  test("keeps work in proportion and cuts waits short, in order", async () => {
    const items = itemsOf(await denied());
    const [start, end] = [items[0]?.from ?? 0, items.at(-1)?.to ?? 0];
    const axis = axisOf(items, start, end);
    expect(axis.position(start)).toBe(0);
    expect(axis.position(end)).toBeLessThan(2_000);
    const places = items.map((item) => axis.position(item.from));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test("of a run without waits is its time", () => {
    expect(axisOf([], 1_000, 5_000).position(3_500)).toBe(2_500);
  });

  test("does not move what was drawn before a wait", async () => {
    const items = itemsOf(await denied());
    const start = items[0]?.from ?? 0;
    const open = items.map((item) => (item.kind === "person" ? { ...item, to: null } : item));
    const at = items.find(({ kind }) => kind === "person")?.from ?? 0;
    const [early, late] = [axisOf(open, start, at + 10), axisOf(open, start, at + 10_000_000)];
    for (const item of items.filter(({ from }) => from <= at))
      expect(early.position(item.from)).toBe(late.position(item.from));
  });
});

describe("the part of a long run that is on the page", () => {
  test("begins at the start, around a step, or at the end", () => {
    expect(beginSpan(10, null)).toEqual({ first: 0, last: 10 });
    expect(beginSpan(1_000, null)).toEqual({ first: 0, last: SPAN_STEPS });
    expect(beginSpan(1_000, 500)).toEqual({ first: 495, last: 495 + SPAN_STEPS });
    expect(endSpan(1_000)).toEqual({ first: 1_000 - SPAN_STEPS, last: 1_000 });
    expect(endSpan(3)).toEqual({ first: 0, last: 3 });
  });

  test("grows with its list up to its size, and beyond that by hand", () => {
    expect(fitSpan(beginSpan(1, null), 40, false)).toEqual({ first: 0, last: 40 });
    expect(fitSpan(beginSpan(1, null), 400, false)).toEqual({ first: 0, last: SPAN_STEPS });
    const more = later(beginSpan(400, null));
    expect(fitSpan(more, 400, false)).toEqual({ first: 0, last: 2 * SPAN_STEPS });
    expect(fitSpan(later(endSpan(400)), 400, false)).toEqual(endSpan(400));
    expect(earlier(beginSpan(1_000, 500))).toEqual({ first: 495 - SPAN_STEPS, last: 495 + SPAN_STEPS });
    expect(earlier(beginSpan(1_000, 7))).toMatchObject({ first: 0 });
  });

  test("with the newest always among it, and never more than twice its size for that", () => {
    expect(fitSpan(beginSpan(100, null), 100, true)).toEqual({ first: 0, last: 100 });
    expect(fitSpan(beginSpan(500, null), 500, true)).toEqual(endSpan(500));
    for (let [count, span] = [100, endSpan(100)]; count < 400; count += 1) {
      span = fitSpan(span, count, true);
      expect(span.last).toBe(count);
      expect(count - span.first).toBeLessThanOrEqual(2 * SPAN_STEPS);
    }
  });
});
