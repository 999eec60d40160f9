import { expect, test } from "vitest";
import { Draft } from "../../../src/cairn/session/engine/draft.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";

test("a minute of streaming writes four to six drafts, which contain all of its text", () => {
  let now = 0;
  const saved: string[] = [];
  const place = { run: "r1", step: "r1s1", attempt: 1, base: 4 };
  const draft = new Draft(
    place,
    () => {},
    (_index, pieces) => void saved.push(pieces.map((piece) => piece.text).join("")),
    () => now,
    createRedactor([]),
  );
  for (let piece = 0; piece < 600; piece++) {
    now += 100;
    draft.push({ type: "text", part: 0, text: `${piece} ` });
  }
  expect(saved.length).toBeGreaterThan(3);
  expect(saved.length).toBeLessThanOrEqual(6);
  expect(saved.join("")).toBe(
    Array.from({ length: saved.join("").trim().split(" ").length }, (_, piece) => `${piece} `).join(""),
  );
});
