// Writes the sample site as a static file, and the digest that the worker knows it by. Run by hand after a change
// of its texts (`node scripts/seed/write.ts`); the worker never imports it. A test fails if it was forgotten.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { sha256Hex } from "../../src/cairn/core/log/digest.ts";
import { SEED_PAGES } from "./content.ts";
import { SEED_ENTRIES } from "./entries.ts";
import { SEED_IMAGES } from "./images.ts";
import { SAMPLE_ASSET, type Sample } from "../../src/plugins/cms/seed/sample.ts";
import { SEED_DEFAULT_LOCALE, SEED_LOCALES, SEED_NAV, SEED_SETTINGS, SEED_SITE } from "./site.ts";
import { SEED_BLOG, SEED_TEMPLATES } from "./templates.ts";

/** The text of the static file. */
export function sampleText(): string {
  const sample: Sample = {
    site: SEED_SITE,
    locales: SEED_LOCALES,
    defaultLocale: SEED_DEFAULT_LOCALE,
    templates: SEED_TEMPLATES,
    blog: SEED_BLOG,
    images: SEED_IMAGES,
    pages: SEED_PAGES,
    entries: SEED_ENTRIES,
    nav: SEED_NAV,
    settings: SEED_SETTINGS,
  };
  // Without a line feed, which some checkouts of git would change and the digest with it.
  return JSON.stringify(sample);
}

if (import.meta.main) {
  const text = sampleText();
  writeFileSync(path.join(import.meta.dirname, "../../src/page/public", SAMPLE_ASSET), text);
  writeFileSync(
    path.join(import.meta.dirname, "../../src/plugins/cms/seed/sample-digest.ts"),
    `/** Written by write.ts: SHA-256 of the static file of the sample site. */\nexport const SAMPLE_SHA256 = "${sha256Hex(text)}";\n`,
  );
}
