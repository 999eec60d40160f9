import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { tryTool } from "../../../src/cairn/tools/define.ts";
import { scholarPack, type ScholarBindings } from "../../../src/plugins/scholar/pack.ts";
import { scholarSearch, type ScholarServices } from "../../../src/plugins/scholar/scholar-search.ts";
import { CONTACT, doiFor, SCHOLAR } from "../../fixtures/search/scholar-stand-ins.ts";
import { KEY, startStandIns, type Page, type StandIns } from "../../fixtures/search/stand-ins.ts";

/** The tool against OpenAlex, Crossref, arXiv and Serper on this machine. */

const PAGES: readonly Page[] = [
  { url: "https://journal.example/open", title: "Snow on passes", text: "snow", date: "2024-05-02" },
  { url: "https://journal.example/nodoi", title: "Old snow", text: "snow", date: "1999-06-01" },
  { url: "https://journal.example/arxiv", title: "Melting snow", text: "snow", date: "2025-01-01" },
];

let web: StandIns;
beforeAll(async () => {
  web = await startStandIns(PAGES, SCHOLAR);
});
afterAll(() => web.close());
beforeEach(() => {
  web.moods.clear();
  web.asked.length = 0;
});

const bases = (): ScholarBindings => ({
  OPENALEX_BASE_URL: web.at("openalex"),
  CROSSREF_BASE_URL: web.at("crossref"),
  ARXIV_BASE_URL: web.at("arxiv"),
  SERPER_BASE_URL: web.at("serper"),
});
function servicesOf(env: ScholarBindings): ScholarServices {
  const services = scholarPack.services({ ...bases(), ...env });
  if ("unavailable" in services) throw new Error(services.unavailable);
  return services;
}
const openAlex = { SCHOLAR_CONTACT: CONTACT };
const serper = { SERPER_API_KEY: KEY };
const search = (env: ScholarBindings, more = {}): ReturnType<typeof tryTool> =>
  tryTool(scholarSearch, { input: { queries: ["snow"], ...more }, services: servicesOf(env) });
const vendors = (): string[] => web.asked.map((line) => line.split(" ")[0] ?? "");

test("OpenAlex finds works, Crossref the DOI that it lacks, arXiv the text that it does not know", async () => {
  const { result } = await search(openAlex);
  expect(result).toMatchObject({
    ok: true,
    value: {
      results: [
        {
          title: "Snow on passes",
          year: 2024,
          citations: 7,
          authors: ["Ada Alm"],
          source: "openalex",
          url: "https://journal.example/open",
          doi: doiFor("https://journal.example/open"),
          text: "https://journal.example/open.pdf",
        },
        { title: "Old snow", doi: doiFor("https://journal.example/nodoi"), text: null },
        { title: "Melting snow", year: 2025, text: "https://arxiv.org/pdf/2605.01234" },
      ],
    },
  });
  expect(vendors()).toEqual(["openalex", "crossref", "arxiv"]);
});

test("nothing older than the year is told", async () => {
  for (const env of [openAlex, serper]) {
    const { result } = await search(env, { year_from: 2024 });
    expect(JSON.stringify(result)).toContain("Snow on passes");
    expect(JSON.stringify(result)).not.toContain("Old snow");
  }
});

test("Serper alone has links, years and counts, and Crossref the DOIs; it costs what it costs", async () => {
  const { result, spent } = await search(serper);
  expect(result).toMatchObject({
    value: {
      results: [
        { source: "serper", year: 2024, citations: 12, doi: doiFor("https://journal.example/open") },
        {},
        {},
      ],
    },
  });
  expect(spent).toBe(0.01);
});

test("the next source is asked where one fails, and all that fail are a failure", async () => {
  web.moods.set("openalex", 500);
  expect((await search({ ...openAlex, ...serper })).result).toMatchObject({
    value: { results: [{ source: "serper" }, {}, {}] },
  });
  web.moods.set("openalex", 429);
  expect((await search(openAlex)).result).toMatchObject({
    ok: false,
    error: { class: "rate_limit", code: "provider_limited", retryAfterMs: 120_000 },
  });
  web.moods.set("openalex", 401);
  expect((await search(openAlex)).result).toMatchObject({ error: { class: "auth", code: "provider_auth" } });
  web.moods.set("openalex", "html");
  expect((await search(openAlex)).result).toMatchObject({ error: { code: "provider_answer" } });
});

test("what Crossref or arXiv cannot add is left open, and said", async () => {
  web.moods.set("crossref", 429).set("arxiv", "html");
  web.pages = PAGES;
  const { result } = await search(openAlex);
  expect(result).toMatchObject({
    ok: true,
    value: { notes: [expect.stringContaining("crossref"), expect.stringContaining("arxiv did not answer")] },
  });
  web.moods.set("arxiv", 500);
  expect((await search(openAlex)).result).toMatchObject({ ok: true });
});

test.each([
  [{}, "No source", false],
  [{ SCHOLAR_CONTACT: "nobody" }, "SCHOLAR_CONTACT must be", undefined],
  [{ SCHOLAR_CONTACT: CONTACT, ARXIV_BASE_URL: "x" }, "ARXIV_BASE_URL is no URL", undefined],
])("a setup of %j is not offered, and says why", (env, why, wanted) => {
  expect(scholarPack.services(env)).toEqual({
    unavailable: expect.stringContaining(why),
    ...(wanted === undefined ? {} : { wanted }),
  });
});
