import { expect, test } from "vitest";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { SourcePageQuery } from "../../../src/cairn/session/api/session-api.ts";
import { readSourcePage } from "../../../src/cairn/session/storage/source-page.ts";
import { SqlStore } from "../../../src/cairn/session/storage/store.ts";
import { SimDisk } from "../../../src/cairn/testing/disk.ts";

/** Text that a person can read around a cited quote. */

const QUOTE = "The pass opens on 15 May.";
const TEXT = `${"a".repeat(50)}${QUOTE}${"z".repeat(40)}`;
const FETCHED_AT = Date.UTC(2026, 10, 22, 10);

function storeOf(text = TEXT): SqlStore {
  const store = new SqlStore(new SimDisk(() => FETCHED_AT));
  const page = { url: "https://alps.example/", title: "Passes", date: "2026-05-01", digest: "d1" };
  const record = { ...page, chars: text.length, fetchedAt: FETCHED_AT };
  const sources = {
    pages: [
      { page: "p1", ...record },
      { page: "p2", ...record, digest: "d2" },
    ],
    evidence: [
      { id: "e1", page: "p1", start: 50, end: 50 + QUOTE.length, quote: QUOTE },
      { id: "e2", page: "p2", start: 0, end: 9, quote: "Of the other." },
    ],
  };
  store.sources.index({
    seq: 1,
    at: 1,
    v: 1,
    run: "r1",
    step: "r1s1",
    kind: "call_settled",
    body: { sources },
  } as unknown as Entry);
  store.saveBlob("p1", text);
  return store;
}

const asking = { page: "p1", evidence: null, offset: null, limit: 20 } satisfies SourcePageQuery;

test("around evidence, half of the characters stand on either side of its words", () => {
  expect(readSourcePage(storeOf(), { ...asking, evidence: "e1" })).toEqual({
    ok: true,
    value: {
      page: "p1",
      url: "https://alps.example/",
      title: "Passes",
      date: "2026-05-01",
      fetchedAt: "2026-11-22T10:00:00.000Z",
      chars: TEXT.length,
      start: 40,
      end: 85,
      text: `${"a".repeat(10)}${QUOTE}${"z".repeat(10)}`,
      quote: { id: "e1", start: 50, end: 75 },
    },
  });
});

test.each([
  ["from the beginning", {}, [0, 20]],
  ["from a place on", { offset: 30 }, [30, 50]],
  ["no further than the page", { offset: 110 }, [110, 115]],
  ["behind its end", { offset: 9_000 }, [115, 115]],
  ["evidence that is near the beginning", { evidence: "e1", limit: 200 }, [0, 115]],
  ["a place, with where the evidence stands", { evidence: "e1", offset: 0 }, [0, 20]],
])("%s", (_name, query, [start = 0, end = 0]) => {
  const read = readSourcePage(storeOf(), { ...asking, ...query });
  expect(read).toMatchObject({ ok: true, value: { start, end, text: TEXT.slice(start, end) } });
  expect(read).toMatchObject({ value: { quote: "evidence" in query ? { start: 50, end: 75 } : null } });
});

test("a character is not parted", () => {
  const store = storeOf("😀😀😀");
  expect(readSourcePage(store, { ...asking, offset: 1, limit: 2 })).toMatchObject({
    value: { start: 0, end: 4, text: "😀😀" },
  });
});

test.each([
  ["a page that was never read", { page: "p9" }],
  ["no name of a page", { page: "../p1" }],
  ["a page whose text is not here", { page: "p2" }],
  ["evidence that nobody named", { evidence: "e9" }],
  ["evidence of another page", { evidence: "e2" }],
])("%s is not found", (_name, query) => {
  expect(readSourcePage(storeOf(), { ...asking, ...query })).toMatchObject({
    ok: false,
    error: { status: 404, code: "not_found" },
  });
});

test("a page that says something else at that place is no place of the words", () => {
  expect(readSourcePage(storeOf("b".repeat(200)), { ...asking, evidence: "e1" })).toMatchObject({
    ok: false,
    error: { status: 404 },
  });
});
