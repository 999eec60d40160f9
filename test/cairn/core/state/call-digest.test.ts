import { describe, expect, test } from "vitest";
import type { Json } from "../../../../src/cairn/core/log/json.ts";
import {
  isEmpty,
  markFailure,
  markOutput,
  maskMessage,
  readOutput,
  canonicalArgs,
  canonicalUrl,
  digest12,
  jaccard,
  markCall,
  maskArgs,
  NO_SHAPE,
  queryWords,
  thoughtWords,
} from "../../../../src/cairn/core/state/call-digest.ts";
import { traitsOf } from "../../../corpus/loops/play.ts";

const mark = (args: Json, shape: Partial<typeof NO_SHAPE> = {}, tool = "t") =>
  markCall(traitsOf(tool, { cls: "keyed" }), { ...NO_SHAPE, ...shape }, args);

describe("canonical arguments", () => {
  test("drop volatile keys at any depth, trim and compose strings", () => {
    expect(canonicalArgs({ b: " e\u0301 ", a: [{ at: 1, x: 2 }], at: 9 }, ["at"])).toEqual({
      b: "\u00e9",
      a: [{ x: 2 }],
    });
  });

  test.each([
    ["HTTPS://Example.ORG:443/A?utm_source=x&b=1#top", "https://example.org/A?b=1"],
    ["http://example.org:80", "http://example.org/"],
    ["http://example.org:8080/?utm_medium=a", "http://example.org:8080/"],
    ["see https://Example.org/#a", "see https://Example.org/#a"],
  ])("%s is %s", (from, to) => {
    expect(canonicalUrl(from)).toBe(to);
  });

  test("masks numbers, digits and cursors", () => {
    expect(maskArgs({ page: 3, url: "/list?page=12", cursor: "abc", q: "x" }, ["cursor"])).toEqual({
      page: "#",
      url: "/list?page=#",
      q: "x",
    });
  });
});

describe("the mark of a call", () => {
  test("is equal for equal calls in any order of keys, and differs by tool and value", () => {
    expect(mark({ a: 1, b: " x" })).toEqual(mark({ b: "x", a: 1 }));
    expect(mark({ a: 1 }).sig).not.toBe(mark({ a: 1 }, {}, "u").sig);
    expect(mark({ a: 1 }).sig).not.toBe(mark({ a: 2 }).sig);
    expect(mark({ a: 1 }).mask).toBe(mark({ a: 2 }).mask);
    expect(mark({ a: 1 }).sig).toMatch(/^[0-9a-f]{12}$/);
  });

  test("names target and value apart", () => {
    const shape = { target: ["page"], value: null };
    const a = mark({ page: "p1", title: "A" }, shape);
    const b = mark({ page: "p2", title: "A" }, shape);
    expect(a.target).not.toBe(b.target);
    expect(a.value).toBe(b.value);
    expect(mark({ title: "A" }, shape).target).toBeNull();
  });

  test("has the host as scope where an argument is an address", () => {
    expect(mark({ url: "https://A.org/x" }).scope).toBe(mark({ url: "https://a.org/y" }).scope);
    expect(mark({ url: "https://a.org/x" }).scope).not.toBe(mark({ url: "https://b.org/x" }).scope);
    expect(mark({ q: "x" }).scope).toBeUndefined();
  });
});

describe("words", () => {
  test("of a query are a set without case, marks and order", () => {
    expect(queryWords("Über uns, über UNS")).toEqual(queryWords("uns uber"));
    expect(jaccard(queryWords("a b c d"), queryWords("a b c e"))).toBeCloseTo(3 / 5);
  });

  test("of a thought are those longer than three characters", () => {
    expect(thoughtWords("Now the page, page!")).toEqual(thoughtWords("PAGE"));
    expect(thoughtWords("I am on it")).toEqual([]);
  });

  test("a long query is kept as a sketch of bounded size", () => {
    const long = Array.from({ length: 400 }, (_, n) => `word${n}`);
    expect(queryWords(long.join(" "))).toEqual(queryWords(long.toReversed().join(" ")));
    expect(queryWords(long.join(" "))).toHaveLength(24);
  });
});

describe("the mark of a result", () => {
  test("is of the JSON without its volatile fields", () => {
    const shape = { ...NO_SHAPE, volatile: ["took_ms"] };
    const of = (text: string) => markOutput("t", shape, {}, readOutput(text)).res;
    expect(of('{"a":1,"took_ms":5}')).toBe(of('{ "took_ms": 7, "a": 1 }'));
    expect(of("plain")).toBe(digest12("plain"));
  });

  test("finds ids at a path", () => {
    const shape = { ...NO_SHAPE, ids: "data.items[].id" };
    const output = { data: { items: [{ id: 1 }, { id: 1 }, { id: 2 }, { id: null }] } };
    expect(markOutput("t", shape, {}, output).ids).toEqual([digest12(["t", 1]), digest12(["t", 2])]);
    expect(markOutput("t", shape, {}, { data: {} })).toMatchObject({ ids: [], empty: true });
  });

  test("of a failure masks digits and ids", () => {
    const of = (message: string) => markFailure({ class: "server", code: "x", message }).res;
    expect(of("request 4711 failed")).toBe(of("request 9 failed"));
    expect(of("a")).not.toBe(of("b"));
    expect(maskMessage("id 0f8fad5b-d9cd-469f-a165-70867728950e, commit deadbeef01")).toBe("id #, commit #");
    expect(maskMessage("the defaced facade")).toBe("the defaced facade");
  });

  test.each<[Json, boolean]>([
    [null, true],
    ["  ", true],
    ["No.", false],
    [[], true],
    [{}, true],
    [{ items: [], total: 0, next: null }, true],
    [{ ok: true, items: [] }, true],
    [{ ok: true }, false],
    [{ count: 0 }, false],
    [{ status: "running", items: [] }, false],
    [{ ok: true, problems: [] }, false],
    [{ data: { entries: [] } }, true],
    [{ entries: [[]] }, false],
    [{ query: "cats", entries: [] }, true],
    [{ note: "dogs", entries: [] }, false],
  ])("%j holds nothing: %s", (output, empty) => {
    expect(isEmpty(output, new Set(["cats"]))).toBe(empty);
  });
});
