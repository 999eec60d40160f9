import { expect, test } from "vitest";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { readingTime } from "../../fixtures/docs/reading-time.ts";

test("seven words are read in a minute", async () => {
  const input = { text: "Small groups, and never more than eight." };
  const { result } = await tryTool(readingTime, { input, services: null });
  expect(result).toEqual({ ok: true, value: { words: 7, minutes: 1 } });
});
