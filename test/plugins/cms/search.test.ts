import { describe, expect, it, test } from "vitest";
import {
  bandOf,
  computeMistypedScore,
  computeWorth,
  computeSubstringScore,
  isUnspaced,
  normalise,
  splitWords,
  tokensOf,
} from "../../../src/plugins/cms/search/score.ts";
import { questionsOf } from "../../../src/plugins/cms/search/words.ts";

const packing = {
  id: "en_packing",
  title: "Packing light",
  slug: "packing-light",
  body: "What to carry for three days on the fells: a map, a shell and a stove.",
};
const hero = {
  id: "sc_home_hero",
  title: "Hero Walk the fells with us",
  slug: "",
  body: "Small groups, local guides.",
};
const computeScore = (...of: Parameters<typeof computeWorth>): number => computeWorth(...of).score;
const about = { id: "pg_about", title: "About us", slug: "about", body: "Who guides you over the ridge" };

describe("words", () => {
  it("lower-cases, strips diacritics and leaves scripts that are written with marks alone", () => {
    expect(normalise("Crème BRÛLÉE")).toBe("creme brulee");
    expect(normalise("İstanbul")).toBe("istanbul");
    expect(normalise("한국어")).toBe("한국어");
    expect(normalise("が")).toBe("が");
  });

  it("splits on everything that is no letter and no digit", () => {
    expect(splitWords("winter-routes, 2026 (new!)")).toEqual(["winter", "routes", "2026", "new"]);
  });

  it("drops one-letter tokens only when others exist, doubles always, and takes eight", () => {
    expect(tokensOf("a day on the fells")).toEqual(["day", "on", "the", "fells"]);
    expect(tokensOf("a b")).toEqual(["a", "b"]);
    expect(tokensOf("light light")).toEqual(["light"]);
    expect(tokensOf("w1 w2 w3 w4 w5 w6 w7 w8 w9")).toHaveLength(8);
  });

  it("never lets text of the user reach MATCH unquoted", () => {
    const query = `x" OR marks:* NEAR(a b) -"\0`;
    const place = { environments: ["env_main"], kinds: ["page"], locales: ["en"] };
    const { name, all, begun, some } = questionsOf(query, tokensOf(query), place);
    for (const text of [name, ...all, begun, ...some]) {
      // Between its strings a question has names of columns, operators and brackets, and nothing else.
      const bare = text.replaceAll(/"(?:[^"\0]|"")*"/g, "");
      expect(bare.replaceAll(/marks|title|slug|body|AND|OR|[\s(){}:*]/g, "")).toBe("");
    }
  });
});

describe("score", () => {
  it("is 1 for the whole title, slug or id and for nothing else", () => {
    for (const query of ["Packing light", "packing-light", " PACKING  LIGHT! ", "en_packing"]) {
      expect(computeScore(query, packing)).toBe(1);
    }
    expect(computeScore("packing light guide", packing)).toBeLessThan(1);
    expect(computeScore("packing", packing)).toBe(0.97);
  });

  it("counts a multi-word query found in order in a title as 0.97", () => {
    expect(computeScore("walk the fells", hero)).toBe(0.97);
    expect(computeScore("fells the walk", hero)).toBe(0.97);
    expect(computeScore("walk the fel", hero)).toBeCloseTo((1 + 1 + 0.85) / 3);
  });

  it("is the mean of the best hit of each token", () => {
    expect(computeScore("pack", packing)).toBe(0.85);
    expect(computeScore("stove", packing)).toBe(0.6);
    expect(computeScore("sto", packing)).toBe(0.5);
    expect(computeScore("packing stove", packing)).toBeCloseTo(0.8);
    expect(computeScore("zebra", packing)).toBe(0);
    expect(computeScore("...", packing)).toBe(0);
    expect(computeScore("", packing)).toBe(0);
  });

  it("matches scripts without spaces by substring", () => {
    const page = { id: "pg_jp", title: "山小屋の予約", slug: "huts", body: "霧の日は歩かない" };
    expect(isUnspaced("小屋")).toBe(true);
    expect(isUnspaced("hut")).toBe(false);
    expect(computeSubstringScore("山小屋の予約", page)).toBe(1);
    expect(computeSubstringScore("小屋", page)).toBe(0.85);
    expect(computeSubstringScore("歩か", page)).toBe(0.5);
    expect(computeSubstringScore("海", page)).toBe(0);
    expect(computeSubstringScore(" ", page)).toBe(0);
  });

  const band = (query: string, candidate: typeof packing) => bandOf(computeScore(query, candidate));
  const labelled: readonly (readonly [string, typeof packing, string | null])[] = [
    ["packing light", packing, "strong"],
    ["Packing", packing, "strong"],
    ["light", packing, "strong"],
    ["pack", packing, "strong"],
    ["packing lig", packing, "strong"],
    ["light packing", packing, "strong"],
    ["packing map", packing, "strong"],
    ["packing-light", packing, "strong"],
    ["map", packing, "good"],
    ["shell stove", packing, "good"],
    ["carry days", packing, "good"],
    ["three days fells", packing, "good"],
    ["stov", packing, "good"],
    ["packing umbrella", packing, "good"],
    ["map umbrella", packing, "weak"],
    ["light tent boots", packing, "weak"],
    ["map shell umbrella", packing, "weak"],
    ["umbrella map boots tent", packing, null],
    ["umbrella", packing, null],
    ["acking", packing, null],
    ["hero", hero, "strong"],
    ["walk the fells with us", hero, "strong"],
    ["walk fells", hero, "strong"],
    ["local guides", hero, "good"],
    ["fells guides", hero, "strong"],
    ["small", hero, "good"],
    ["hero umbrella", hero, "good"],
    ["about us", about, "strong"],
    ["about", about, "strong"],
    ["ridge guides", about, "good"],
    ["ridge contact", about, "weak"],
    ["blog", about, null],
  ];
  it.each(labelled)("puts %j into its labelled band", (query, candidate, expected) => {
    expect(band(query, candidate)).toBe(expected);
  });

  it("labels at least thirty queries", () => {
    expect(labelled.length).toBeGreaterThanOrEqual(30);
  });
});

describe("a typing mistake", () => {
  const about = {
    id: "p1",
    title: "Opening hours",
    slug: "about-us",
    body: "We bake sourdough every morning.",
  };
  test.each([
    ["a letter that is doubled", "openning hours", true],
    ["a letter that is missing", "opning hours", true],
    ["two words of a name that are joined", "openinghours today", true],
    ["two words of an address that are joined", "aboutus page", true],
    ["two words of the text that are joined", "bakesourdough", true],
    ["two words that are no neighbours, joined", "hoursopening", false],
    ["a word alone", "hours", false],
  ])("%s", (_what, query, isMistyped) => {
    expect(computeMistypedScore(query, about) !== null).toBe(isMistyped);
  });
});
