import { expect, test } from "vitest";
import { PROVIDERS, setupOf } from "../../../../src/plugins/web/search/settings.ts";

/** Price of a search: a provider without a price never counts as free. */

const ALL = {
  EXA_API_KEY: "k",
  BRAVE_API_KEY: "k",
  TAVILY_API_KEY: "k",
  SERPER_API_KEY: "k",
  SEARXNG_URL: "http://searx.example",
};
const pricesOf = (more: object): unknown => {
  const found = setupOf({ ...ALL, ...more });
  return found.ok ? { ...found.setup.prices } : found.why;
};

test("a provider that nobody has priced costs a cent, and only a search engine of one's own nothing", () => {
  expect(pricesOf({})).toEqual({ exa: 0.01, brave: 0.01, tavily: 0.01, serper: 0.01, searxng: 0 });
  const paid = PROVIDERS.filter((name) => name !== "searxng" && name !== "cloudflare");
  expect(pricesOf({})).toMatchObject(Object.fromEntries(paid.map((name) => [name, 0.01])));
});

test("a price of one provider says nothing of the others, and zero is a price", () => {
  expect(pricesOf({ SEARCH_PRICES: { exa: 0.5, brave: 0, searxng: 0.2 } })).toEqual({
    exa: 0.5,
    brave: 0,
    tavily: 0.01,
    serper: 0.01,
    searxng: 0.2,
  });
});

test.each([[{ exa: -1 }], [{ exa: "0.5" }], [{ exa: null }], [{ exa: Infinity }], ["[]"], ["x"]])(
  "prices that are none (%j) offer no search",
  (prices) => {
    expect(pricesOf({ SEARCH_PRICES: prices })).toMatch(/SEARCH_PRICES must be/);
  },
);
