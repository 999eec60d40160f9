import { describe, expect, test } from "vitest";
import { climbs, failed, ok, times, type Line } from "../../state/script.ts";

const page = (n: number): Line => [ok("get", { page: `p${n}` }, { title: `Page ${n}` })];
const same: Line = page(1);
const none = { items: [] };
const found = (...ids: string[]) => ({ items: ids.map((id) => ({ id })) });
const title = (page: string, title: string, rev: number): Line => [ok("put", { page, title }, { rev })];

describe("same_result", () => {
  test("is silent at two, hints at three, blocks at four and acts at five", () => {
    expect(climbs(["human", same, same])).toEqual([]);
    expect(climbs(["human", same, same, same])).toEqual(["same_result@3 1"]);
    expect(climbs(["human", ...times(9, () => same)])).toEqual([
      "same_result@3 1",
      "same_result@4 2",
      "same_result@5 3",
    ]);
  });

  test("counts across other reads, and starts anew behind an effect that is new", () => {
    expect(climbs(["human", same, page(2), same, page(3), same])).toEqual(["same_result@5 1"]);
    expect(climbs(["human", same, title("p1", "A", 1), same, title("p1", "B", 2), same])).toEqual([]);
  });

  test("counts copies in one step once, and not another result", () => {
    const twice = [ok("get", { page: "p1" }, { title: "A" }), ok("get", { page: "p1" }, { title: "A" })];
    expect(climbs(["human", twice, twice])).toEqual([]);
    expect(climbs(["human", ...times(5, (n) => [ok("get", {}, { n })])])).toEqual([]);
  });

  test("takes its count from iterations", () => {
    const config = { onStuck: { iterations: 5 } };
    expect(climbs(["human", ...times(5, () => same)], { config })).toEqual(["same_result@5 1"]);
  });

  test("does not see volatile fields, order of keys or blanks", () => {
    const call = (n: number): Line => [
      ok("search", n % 2 ? { q: "a ", n: 1 } : { n: 1, q: "a" }, { ...found("x"), took_ms: n }),
    ];
    expect(climbs(["human", ...times(3, call)])).toEqual(["same_result@3 1"]);
  });
});

describe("errors", () => {
  test("the same call that fails alike twice is same_error, whatever the message counts", () => {
    expect(climbs(["human", [failed("get", { page: "p1" }, "server")], page(2)])).toEqual([]);
    const again: Line = [failed("get", { page: "p1" }, "server")];
    expect(climbs(["human", again, page(2), again])).toEqual(["same_error@3 1"]);
  });

  test("another class, or a success in between, is another matter", () => {
    const a: Line = [failed("get", { page: "p1" }, "timeout")];
    const b: Line = [failed("get", { page: "p1" }, "rate_limit")];
    expect(climbs(["human", a, b, same])).toEqual([]);
    expect(climbs(["human", a, same, a, page(2)])).toEqual([]);
  });

  test("four errors of a class in a row with any arguments are a streak, over two turns at least", () => {
    const lost = (n: number) => failed("get", { page: `x${n}` }, "not_found");
    expect(climbs(["human", ...times(4, (n) => [lost(n)])])).toEqual(["error_streak@4 1"]);
    expect(climbs(["human", [lost(1), lost(2), lost(3), lost(4)]])).toEqual([]);
    expect(climbs(["human", [lost(1), lost(2)], same, [lost(3), lost(4)]])).toEqual([]);
  });

  test("bookkeeping does not break a streak", () => {
    const lost = (n: number): Line => [failed("get", { page: `x${n}` }, "not_found")];
    const plan: Line = [ok("update_plan", { items: ["a"] }, { ok: true })];
    expect(climbs(["human", lost(1), lost(2), plan, lost(3), lost(4)])).toEqual(["error_streak@5 1"]);
  });
});

describe("cycle", () => {
  const a = page(1);
  const b = page(2);
  const c = page(3);
  const d = page(4);

  test("speaks after two full periods of 2, 3 and 4", () => {
    expect(climbs(["human", a, b, a, b])).toEqual(["cycle@4 1"]);
    expect(climbs(["human", a, b, c, a, b, c])).toEqual(["cycle@6 1"]);
    expect(climbs(["human", a, b, c, d, a, b, c, d])).toEqual(["cycle@8 1"]);
    expect(climbs(["human", a, b, c, a, b])).toEqual([]);
  });

  test("is none where the results change", () => {
    const version = (n: number): Line => [ok("get", { page: "p1" }, { n })];
    expect(climbs(["human", version(1), b, version(2), b])).toEqual([]);
  });

  test("read, write, read, write with new arguments is none", () => {
    const lines = times(6, (n) => (n % 2 ? page(n) : title(`p${n}`, `T${n}`, n)));
    expect(climbs(["human", ...lines])).toEqual([]);
  });

  test("reads that a compaction took away may be made once more", () => {
    expect(climbs(["human", a, b, { compact: [1, 2] }, a, b])).toEqual([]);
    expect(climbs(["human", a, b, { compact: [1, 2] }, a, b, a])[0]).toMatch(/@5 1$/);
  });
});

describe("turns without calls", () => {
  test("prose that is sent back each time is stopped by the fourth turn", () => {
    const lines = times(100, (n) => ({ say: `I shall now begin with part ${n} of the work` }));
    expect(climbs(["human", ...lines])).toEqual(["monologue@2 1", "monologue@3 2", "monologue@4 3"]);
  });

  test("one is none, and an accepted answer is none", () => {
    expect(climbs(["human", { say: "Let me see." }, same, { say: "Done." }])).toEqual([]);
    expect(
      climbs(["human", { say: "Hello." }, "human", { say: "Hello." }, "human", { say: "Hello." }]),
    ).toEqual([]);
  });

  test("unusable calls count, refused ones have a rule of their own", () => {
    const bad = (n: number): Line => [failed("nope", { n }, "invalid_args", "UNKNOWN_TOOL")];
    expect(climbs(["human", bad(1), bad(2)])).toEqual(["monologue@2 1"]);
    const denied = (n: number): Line => [failed("put", { page: `p${n}` }, "policy", "NOT_GRANTED")];
    expect(climbs(["human", denied(1), denied(2), same])).toEqual([]);
  });

  test("the same words, with work in between, are same_thought at the third", () => {
    const lines: Line[] = [
      { say: "Checking the navigation now." },
      page(1),
      { say: "Now checking: the navigation!" },
      page(2),
      { say: "checking navigation, the, now" },
      page(3),
    ];
    expect(climbs(["human", ...lines])).toEqual(["same_thought@5 1"]);
  });
});

describe("queries", () => {
  const q = (text: string, output: ReturnType<typeof found>): Line => [ok("search", { q: text }, output)];

  test("in other order and case that find what was found are near_query at the third", () => {
    const lines = [
      q("annual report 2024", found("a", "b")),
      q("Report, annual 2024", found("b", "a")),
      q("2024 annual REPORT", found("a", "b")),
    ];
    expect(climbs(["human", ...lines])).toEqual(["near_query@3 1"]);
  });

  test("in other words each time that find what was found are near_query at the sixth, unless the run is research", () => {
    const words = ["annual report", "yearly figures", "balance sheet", "profit and loss", "fiscal summary"];
    const more = ["money made", "books of the year", "accounts", "earnings overview", "what we took in"];
    const lines = [...words, ...more].map((text, n) => q(text, n % 2 ? found("a", "b") : found("b", "a")));
    expect(climbs(["human", ...lines.slice(0, 5)])).toEqual([]);
    expect(climbs(["human", ...lines.slice(0, 6)])).toEqual(["near_query@6 1"]);
    // One that finds something new starts the count anew.
    const news = [...lines.slice(0, 5), q("something else", found("c", "d")), ...lines.slice(5, 9)];
    expect(climbs(["human", ...news])).toEqual([]);
  });

  test("with new results, in other words, or with an effect in between are none", () => {
    const fresh = [
      q("annual report 2024", found("a")),
      q("report annual 2024", found("b")),
      q("2024 annual report", found("c")),
    ];
    expect(climbs(["human", ...fresh])).toEqual([]);
    const words = [q("annual report", none), q("yearly figures", none), q("balance sheet", none)];
    expect(climbs(["human", ...words])).toEqual([]);
    const between = [
      q("open typos", found("a", "b")),
      title("a", "x", 1),
      q("typos open", found("b")),
      title("b", "y", 2),
      q("open typos!", none),
    ];
    expect(climbs(["human", ...between])).toEqual([]);
  });

  test("that both find nothing count as well", () => {
    const lines = [q("user model", none), q("model user", none), q("model, user", none)];
    expect(climbs(["human", ...lines])).toEqual(["near_query@3 1"]);
  });
});

describe("drift", () => {
  const entries = (n: number): Line => [ok("list", { page: n }, { entries: [`row ${n}`] })];
  const nothing = (n: number): Line => [ok("list", { page: n }, { entries: [], page: n })];

  test("pages with new rows are silent, four empty ones in a row are not", () => {
    expect(climbs(["human", ...times(9, entries)])).toEqual([]);
    expect(climbs(["human", ...times(4, nothing)])).toEqual(["drift@4 1"]);
  });

  test("pages whose ids are known count, pages of a declared query too", () => {
    const pageOf = (n: number): Line => [ok("search", { q: "x", page: n }, found("a", "b"))];
    expect(climbs(["human", ...times(5, pageOf)])).toEqual(["drift@5 1"]);
  });

  test("cursors are masked, and one batch is no drift", () => {
    const at = (cursor: string) => ok("list", { cursor }, { entries: [] });
    const lines: Line[] = [[at("abc")], [at("def")], [at("ghi")], [at("jkl")]];
    expect(climbs(["human", ...lines])).toEqual(["drift@4 1"]);
    expect(climbs(["human", [at("abc"), at("def"), at("ghi"), at("jkl")]])).toEqual([]);
  });

  test("is broken by a row", () => {
    expect(climbs(["human", ...[1, 2, 3].map(nothing), entries(4), ...[5, 6, 7].map(nothing)])).toEqual([]);
  });
});

describe("thrash", () => {
  test("the second return to an older value speaks, the first does not", () => {
    const lines = [title("p1", "A", 1), title("p1", "B", 2), title("p1", "A", 3)];
    expect(climbs(["human", ...lines])).toEqual([]);
    expect(climbs(["human", ...lines, title("p1", "B", 4)])).toEqual(["thrash@4 1"]);
  });

  test("is about one target, and equal values in a row are no return", () => {
    const bulk = times(8, (n) => title(`p${n}`, n % 2 ? "A" : "B", n));
    expect(climbs(["human", ...bulk])).toEqual([]);
  });

  test("blocks writing to the target, not reading it", () => {
    const lines = [1, 2, 3, 4].map((n) => title("p1", n % 2 ? "A" : "B", n));
    expect(climbs(["human", ...lines, same, title("p1", "C", 5)])).toEqual(["thrash@4 1", "thrash@6 2"]);
  });
});

describe("block_echo", () => {
  const denied: Line = [failed("put", { page: "p1" }, "policy", "NOT_GRANTED")];

  test("a call proposed a second time after its skip", () => {
    expect(climbs(["human", denied, denied])).toEqual([]);
    expect(climbs(["human", denied, page(1), denied, page(2), denied])).toEqual(["block_echo@5 1"]);
  });

  test.each(["CIRCUIT_OPEN", "POLL_TOO_SOON", "NEEDS_APPROVAL"])("%s is no refusal", (code) => {
    const skipped: Line = [failed("get", { page: "p1" }, "policy", code)];
    expect(climbs(["human", ...times(4, (n) => (n % 2 ? skipped : page(n)))])).toEqual([]);
  });
});

describe("after_compaction", () => {
  test("what was summarised may be asked again once, not twice", () => {
    const lines: Line[] = [page(1), page(2), { compact: [1, 2] }, page(1), page(3)];
    expect(climbs(["human", ...lines])).toEqual([]);
    expect(climbs(["human", page(1), { compact: [1, 1] }, page(3), page(1), page(4), page(1)])).toEqual([
      "same_result@5 1",
    ]);
    // Behind an effect the reads before it no longer count as equal; those since the compaction do.
    const written: Line[] = [page(1), title("p9", "A", 1), { compact: [1, 2] }, page(1), page(4), page(1)];
    expect(climbs(["human", ...written])).toEqual(["after_compaction@5 1"]);
  });
});

describe("bookkeeping and no_progress", () => {
  const plan = (n: number): Line => [ok("update_plan", { items: [`item ${n}`] }, { rev: n })];

  test("five turns of bookkeeping speak, again after two more", () => {
    expect(climbs(["human", ...times(9, plan)])).toEqual([
      "bookkeeping@5 1",
      "bookkeeping@7 2",
      "bookkeeping@9 3",
    ]);
    expect(climbs(["human", ...times(4, plan), page(1), ...times(4, plan)])).toEqual([]);
  });

  test("reading on in a long observation is no bookkeeping while it is new", () => {
    const slice = (n: number): Line => [
      ok("read_observation", { id: "c", offset: n }, { text: `part ${n}` }),
    ];
    expect(climbs(["human", ...times(8, slice)])).toEqual([]);
    const stale = (n: number): Line => [ok("read_observation", { id: "c", offset: n }, { text: "end" })];
    expect(climbs(["human", ...times(6, stale)])).toEqual(["bookkeeping@6 1"]);
  });

  /** Reads with another mask each and nothing in them. */
  const words = [
    "ant",
    "bee",
    "cat",
    "dog",
    "eel",
    "fox",
    "gnu",
    "hen",
    "ibis",
    "jay",
    "koi",
    "lynx",
    "moth",
    "newt",
  ];
  const fruitless = (n: number): Line => [ok("get", { word: words[n - 1] ?? "owl" }, [])];

  test("six steps of work without anything new speak, ten in research", () => {
    expect(climbs(["human", ...times(5, fruitless)])).toEqual([]);
    expect(climbs(["human", ...times(8, fruitless)])).toEqual(["no_progress@6 1", "no_progress@8 2"]);
    const config = { profile: "research" } as const;
    expect(climbs(["human", ...times(12, fruitless)], { config })).toEqual([
      "no_progress@10 1",
      "no_progress@12 2",
    ]);
  });

  test("one new thing among them starts the count anew", () => {
    expect(climbs(["human", ...times(5, fruitless), page(1), ...times(5, (n) => fruitless(n + 5))])).toEqual(
      [],
    );
  });
});

describe("no loop", () => {
  test("four calls with four queries and empty text", () => {
    const lines = ["ant", "bee", "cat", "dog"].map((q): Line => [ok("search", { q }, found(q))]);
    expect(climbs(["human", ...lines])).toEqual([]);
  });

  test("fifteen equal polls five seconds apart", () => {
    const poll: Line = [ok("job", { id: "j1" }, { state: "running" })];
    const lines = times(15, () => poll).flatMap((line) => [line, { wait: 5000 }] as Line[]);
    expect(climbs(["human", ...lines])).toEqual([]);
  });

  test("but polls in haste, or more than are declared", () => {
    const poll: Line = [ok("job", { id: "j1" }, { state: "running" })];
    expect(climbs(["human", poll, poll, poll])).toEqual(["same_result@3 1"]);
    const spaced = times(22, () => poll).flatMap((line) => [line, { wait: 5000 }] as Line[]);
    expect(climbs(["human", ...spaced])[0]).toBe("same_result@21 1");
  });

  test("a changed result restarts the count of polls", () => {
    const poll = (n: number): Line => [ok("job", { id: "j1" }, { done: Math.floor(n / 15) })];
    const spaced = times(28, poll).flatMap((line) => [line, { wait: 5000 }] as Line[]);
    expect(climbs(["human", ...spaced])).toEqual([]);
  });

  test("the same call after a person has spoken", () => {
    expect(climbs(["human", same, same, "human", same, same])).toEqual([]);
  });
});
