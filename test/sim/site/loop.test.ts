import { expect, test } from "vitest";
import { exploreOnSite, playOnSite, SITE_SCRIPTS } from "./loop.ts";

/** Some of the deaths of whole runs of the site editor; `npm run sim` goes through all of them. */

const EVERY = 23;

test.each(SITE_SCRIPTS)("$name", async (script) => {
  const usual = await playOnSite(script, null);
  expect(usual.ending).toBe(JSON.stringify(script.runs.map(() => "completed")));
  expect(usual.publics.size).toBe(script.publics);
  const { crashes, faults } = await exploreOnSite(script, EVERY);
  expect(faults).toEqual([]);
  expect(crashes).toBeGreaterThan(5);
});
