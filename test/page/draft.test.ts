import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storeDraft, readDraft } from "../../src/page/chat/draft.ts";

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
  storeDraft("ses_a", "Look at  a");
  storeDraft("ses_b", " ");
  expect([readDraft("ses_a"), readDraft("ses_b"), readDraft("ses_c")]).toEqual(["Look at  a", " ", ""]);
  storeDraft("ses_a", "");
  expect([readDraft("ses_a"), [...rows.values()]]).toEqual(["", [" "]]);
});
