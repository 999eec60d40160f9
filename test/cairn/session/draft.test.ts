import { describe, expect, test } from "vitest";
import type { DraftPiece } from "../../../src/cairn/core/log/model.ts";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { Draft } from "../../../src/cairn/session/engine/draft.ts";
import type { PlacedDraft } from "../../../src/cairn/session/engine/ports.ts";

/** The text of a model call in flight: what of it is shown, where, and what is saved when. */

const SECRET = "sk-sentinel-0123456789";
const PLACE = { run: "r1", step: "r1s1", attempt: 2, base: 7 };

function open(): {
  draft: Draft;
  shown: PlacedDraft[];
  saved: [index: number, at: number, text: string][];
  wait: (ms: number) => void;
} {
  let now = 1_000;
  const shown: PlacedDraft[] = [];
  const saved: [number, number, string][] = [];
  const draft = new Draft(
    PLACE,
    (piece) => void shown.push(piece),
    (index, pieces) => void saved.push([index, now, pieces.map((piece) => piece.text).join("|")]),
    () => now,
    createRedactor([{ name: "KEY", value: SECRET }]),
  );
  return { draft, shown, saved, wait: (ms) => void (now += ms) };
}

const text = (part: number, said: string): DraftPiece => ({ type: "text", part, text: said });
const thought = (part: number, said: string): DraftPiece => ({ type: "reasoning", part, text: said });
const joined = (shown: readonly PlacedDraft[], part: number): string =>
  shown.flatMap((piece) => (piece.part === part ? [piece.text] : [])).join("");

describe("a draft", () => {
  test("shows each part with its place, and none of the marker", () => {
    const { draft, shown } = open();
    for (const piece of [thought(0, "Hm"), text(1, "One"), text(1, " two"), text(2, "FINAL_ANSWER: Three")])
      draft.push(piece);
    draft.end();
    expect(shown.map(({ type, part, text: said, end }) => [type, part, said, end])).toEqual([
      ["reasoning", 0, "Hm", 3],
      ["text", 1, "One", 8],
      ["text", 1, " two", 12],
      ["text", 2, "Three", 19],
    ]);
    for (const piece of shown) expect(piece).toMatchObject(PLACE);
  });

  test("shows at the end of a part what could have become a marker or a secret and did not", () => {
    const { draft, shown } = open();
    draft.push(text(0, "It is\nFINAL_ANS"));
    draft.push(text(1, `The key begins with ${SECRET.slice(0, 12)}`));
    draft.push(thought(2, "FINAL_ANS"));
    draft.end();
    expect([0, 1, 2].map((part) => joined(shown, part))).toEqual([
      "It is\nFINAL_ANS",
      `The key begins with ${SECRET.slice(0, 12)}`,
      "FINAL_ANS",
    ]);
  });

  test("shows a marker in a thought, where it means nothing", () => {
    const { draft, shown } = open();
    draft.push(thought(0, "Then FINAL_ANSWER: is what I write"));
    draft.end();
    expect(joined(shown, 0)).toBe("Then FINAL_ANSWER: is what I write");
  });

  test("shows and saves no secret, however it comes in pieces", () => {
    const { draft, shown, saved, wait } = open();
    for (const letter of `say ${SECRET} twice`) {
      draft.push(text(0, letter));
      wait(2_000);
    }
    draft.end();
    expect(joined(shown, 0)).not.toContain(SECRET);
    expect(joined(shown, 0)).toMatch(/^say .* twice$/);
    expect(saved.map(([, , said]) => said).join("")).not.toContain(SECRET.slice(0, 8));
    for (const piece of shown) expect(piece.text).not.toBe("");
  });

  test("is saved after a second, then after twice as long each time, up to a minute", () => {
    const { draft, saved, wait } = open();
    for (let second = 0; second < 400; second++) {
      draft.push(text(0, "x"));
      wait(1_000);
    }
    expect(saved.map(([index, at]) => [index, (at - 1_000) / 1_000])).toEqual([
      [0, 1],
      [1, 3],
      [2, 7],
      [3, 15],
      [4, 31],
      [5, 63],
      [6, 123],
      [7, 183],
      [8, 243],
      [9, 303],
      [10, 363],
    ]);
    expect(saved.map(([, , said]) => said.replaceAll("|", "").length)).toEqual([
      2, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60,
    ]);
  });

  test("is saved at 16 KiB at once, each block with its own text", () => {
    const { draft, saved } = open();
    draft.push(text(0, "a".repeat(16_383)));
    expect(saved).toEqual([]);
    draft.push(text(0, "b"));
    expect(saved.map(([index, , said]) => [index, said.length])).toEqual([[0, 16_385]]);
    draft.push(text(0, "c".repeat(16_383)));
    expect(saved).toHaveLength(1);
    draft.push(text(0, "d"));
    expect(saved.map(([index, , said]) => [index, said[0]])).toEqual([
      [0, "a"],
      [1, "c"],
    ]);
  });
});
