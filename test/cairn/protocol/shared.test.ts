import { expect, test } from "vitest";
import { sharedMessage } from "../../../src/cairn/protocol/shared.ts";

/** The words of a message that the holder of a read-only link is shown. */

const STARTED = { type: "step-start" } as const;
const text = (words: string) => ({ type: "text", text: words }) as const;

test("an answer is the text of its last step alone, with its time, its outcome and its receipt", () => {
  const receipt = { changed: [], failed: [], unknown: [], more: 0, lines: [] };
  const shown = sharedMessage({
    id: "ses_a.r1",
    role: "assistant",
    parts: [
      STARTED,
      { type: "reasoning", text: "A thought." },
      text("I will look."),
      STARTED,
      { type: "reasoning", text: "Another thought." },
      text("It is done."),
      { type: "data-receipt", data: receipt },
      text("All of it."),
    ],
    metadata: { createdAt: "2026-11-21T12:00:00.000Z", outcome: "answered", receipt, model: "secret-model" },
  });
  expect(shown).toEqual({
    id: "ses_a.r1",
    role: "assistant",
    text: "It is done.\n\nAll of it.",
    at: "2026-11-21T12:00:00.000Z",
    outcome: "answered",
    receipt,
    citations: [],
  });
});

test("a person's message is all that they said, and nothing but its words", () => {
  const parts = [
    text("Look at this."),
    { type: "file", mediaType: "image/png", url: "/media/a" },
    text("Please."),
  ];
  expect(
    sharedMessage({ id: "m1", role: "user", parts, metadata: { author: "alice", receipt: "none" } }),
  ).toEqual({
    id: "m1",
    role: "user",
    text: "Look at this.\n\nPlease.",
    at: null,
    outcome: null,
    receipt: null,
    citations: [],
  });
});
