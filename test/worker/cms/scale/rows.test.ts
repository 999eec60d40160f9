import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { setStatus } from "../../../../src/plugins/cms/tools/status.ts";
import { call, contextOf, emptySite, makeSite, services } from "../fixture.ts";
import { Round } from "./every-call.ts";
import { makeLarge, type SiteSize } from "./large-site.ts";
import { Recorder, type Cost } from "./recorder.ts";

/** Cost of a call is independent of the size of the site. */

afterAll(emptySite);

const SMALL: SiteSize = {
  pages: 60,
  sectionsPerPage: 3,
  images: 60,
  collections: 2,
  entriesPerCollection: 60,
  revisions: 60,
  sessions: 20,
  operationsPerSession: 20,
};
const LARGER: SiteSize = {
  ...SMALL,
  pages: 480,
  images: 480,
  entriesPerCollection: 240,
  revisions: 240,
  sessions: 80,
};
const GROWS_AT_MOST = 1.5;
/** names of new things, the end of a walk */
const ROWS_MORE_MAX = 150;

/** Calls that scan the site by design, up to a bound that this site does not reach, and why. */
const WALKS: readonly (readonly [calls: RegExp, because: string])[] = [
  [
    /^(set: )?(page_list|entry_list) \((part|tag|newest of|with changes)/,
    "a filter without an index: at most WALKED_MAX rows",
  ],
  [/^(set: )?image_search \((unused|words and a tag)/, "the same"],
  [
    /^(set: )?(find|image_search \(words\))/,
    "up to SEARCH_CANDIDATES_MAX hits of each question, and names that look alike: at most SEARCH_SCAN_ROWS_MAX",
  ],
  [/\(unknown\)$/, "names that look alike: at most 2,000"],
  [/sitemap/, "a file of it lists up to SITEMAP_DOCUMENTS_MAX documents"],
  [
    /^set: history \((page|run)/,
    "through a set the operations of that page, or of runs of that number, are sorted",
  ],
];

async function costs(size: SiteSize): Promise<Map<string, Cost>> {
  await makeSite();
  await makeLarge(services, size);
  const recorder = new Recorder(env.DB);
  const found = new Map<string, Cost>();
  await new Round({ ...env, DB: recorder.db }, 1).all(async (name, act) => {
    recorder.cost();
    await act();
    found.set(name, recorder.cost());
  });
  return found;
}

test("no call reads or writes more rows because the site is larger", async () => {
  const small = await costs(SMALL);
  const larger = await costs(LARGER);
  const grown = [...larger].filter(([name, { read, written }]) => {
    const before = small.get(name);
    if (before === undefined || WALKS.some(([calls]) => calls.test(name))) return false;
    return read > before.read * GROWS_AT_MOST + ROWS_MORE_MAX || written > before.written + 10;
  });
  expect(grown.map(([name, { read, written }]) => ({ name, was: small.get(name), read, written }))).toEqual(
    [],
  );
}, 240_000);

test("publishing a page costs rows by its sections, not by the site", async () => {
  const published = async (sectionsPerPage: number, pages: number): Promise<Cost> => {
    await makeSite();
    await makeLarge(services, { ...SMALL, sectionsPerPage, pages });
    const recorder = new Recorder(env.DB);
    const context = contextOf({ services: { ...services, db: recorder.db } });
    // A draft of the same texts and links in every site.
    await call(setStatus, { targets: [{ type: "page", ref: "pg_8" }], to: "published" }, context);
    return recorder.cost();
  };
  const [few, many, elsewhere] = [await published(2, 20), await published(12, 20), await published(12, 200)];
  // Cost of one more section: its documents in the search and in the word index, its references and their lookups.
  expect((many.written - few.written) / 10).toBeLessThanOrEqual(11);
  expect((many.read - few.read) / 10).toBeLessThanOrEqual(60);
  expect(elsewhere.written).toBe(many.written);
  expect(elsewhere.read).toBeLessThanOrEqual(many.read + 20);
}, 120_000);
