import { expect, test } from "vitest";
import { momentItem } from "../../../src/page/trace/items/item-moments.ts";

test("progress that the model noted is a line of the timeline", () => {
  const place = { seq: 7, at: "2026-01-01T00:00:00.000Z", v: 1, run: "r1", step: "r1s1" } as const;
  const body = { call: "r1s1c0", text: "Halfway", percent: 50 };
  expect(momentItem({ ...place, kind: "progress_noted", body })).toMatchObject([
    { title: "Progress", note: "Halfway, 50 %" },
  ]);
});
