import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sha256Hex } from "../../src/cairn/core/log/digest.ts";
import { SAMPLE_SHA256 } from "../../src/plugins/cms/seed/sample-digest.ts";
import { loadSample, SAMPLE_ASSET, type Assets } from "../../src/plugins/cms/seed/sample.ts";
import { sampleText } from "../../scripts/seed/write.ts";

const file = path.join(import.meta.dirname, "../../src/page/public", SAMPLE_ASSET);
const text = readFileSync(file, "utf8");
const serving = (response: () => Response): Assets => ({ fetch: async () => response() });

test("the sample site's static file and its digest are as write.ts makes them", () => {
  expect(text).toBe(sampleText());
  expect(SAMPLE_SHA256).toBe(sha256Hex(text));
});

test("the sample site is read from its static file, whole", async () => {
  const sample = await loadSample(serving(() => new Response(text)));
  expect(JSON.parse(sampleText())).toEqual(sample);
  expect(sample.pages.length).toBeGreaterThan(3);
});

test("a file of another deployment, or none, is refused by its name", async () => {
  await expect(loadSample(serving(() => new Response(text.replace("Fern", "Farn"))))).rejects.toThrow(
    "/seed/site.json is not the one that this worker was built with",
  );
  await expect(loadSample(serving(() => new Response("", { status: 404 })))).rejects.toThrow(
    "/seed/site.json is missing (404)",
  );
});
