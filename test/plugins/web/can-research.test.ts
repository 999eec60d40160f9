import { expect, test } from "vitest";
import { canResearch } from "../../../src/cairn/core/loop/start-run.ts";
import { createTools } from "../../fixtures/deployment/plugins.ts";
import { WHOLE_WEB } from "../../fixtures/search/whole-web.ts";

/** A run is put into the class of research only where there is something to research with. */

// The bindings are never touched: only the declarations are read.
const site = { DB: {} as unknown as D1Database, MEDIA: {} as unknown as R2Bucket, PEXELS_API_KEY: "key" };
const canBy = (env: Parameters<typeof createTools>[0]): boolean =>
  canResearch(createTools(env, "s", () => 0, { observations: { read: () => null } }).cards());

test("a site that brings images in, and asks APIs, is nothing to research with", () => {
  expect(canBy(site)).toBe(false);
  expect(canBy({ ...site, HTTP: "on" })).toBe(false);
});

test.each<[string, Partial<typeof WHOLE_WEB>]>([
  ["pages", { WEB: WHOLE_WEB.WEB }],
  ["a search", { EXA_API_KEY: WHOLE_WEB.EXA_API_KEY }],
  ["scholarly works", { SCHOLAR_CONTACT: WHOLE_WEB.SCHOLAR_CONTACT }],
])("%s are", (_what, env) => {
  expect(canBy({ ...site, ...env })).toBe(true);
});
