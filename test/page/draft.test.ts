import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepDraft, readDraft } from "../../src/page/chat/draft.ts";

/** A draft, typed and not sent, belongs to one session. */

let rows: Map<string, string>;
beforeEach(() => {
  rows = new Map();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => rows.get(key) ?? null,
    setItem: (key: string, value: string) => void rows.set(key, value),
    removeItem: (key: string) => void rows.delete(key),
  });
});
afterEach(() => void vi.unstubAllGlobals());

test("a draft is there again in its own session alone, and leaves nothing once it was sent", () => {
  expect(readDraft("ses_a")).toBe("");
  keepDraft("ses_a", "Look at  a");
  keepDraft("ses_b", " ");
  expect([readDraft("ses_a"), readDraft("ses_b"), readDraft("ses_c")]).toEqual(["Look at  a", " ", ""]);
  keepDraft("ses_a", "");
  expect([readDraft("ses_a"), [...rows.values()]]).toEqual(["", [" "]]);
});
