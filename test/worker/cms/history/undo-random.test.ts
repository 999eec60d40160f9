import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { Chance } from "../../../sim/platform/chance.ts";
import { undo } from "../../../../src/plugins/cms/history/undo.ts";
import { ensureSeeded, forgetSeeded } from "../../../../src/plugins/cms/seed/index.ts";
import { cmsPack, imagesPack } from "../../../../src/plugins/cms/pack.ts";
import { publishedPageDocument } from "../../../../src/plugins/cms/edit/publish.ts";
import { loadPages, loadPublished } from "../../../../src/plugins/cms/storage/load.ts";
import { ToolError } from "../../../../src/cairn/tools/define.ts";
import { call, contextOf, emptySite, rows, services } from "../fixture.ts";
import { made, photos, type Act } from "./acts.ts";
import { cleanPages, wholeSite } from "./whole-site.ts";

/** Whatever was done by whatever tools: taken back from the last to the first, the site is what it was before each. */

/** Runs it; null for what is refused, which changes nothing. */
async function done([tool, args]: Act): Promise<string | null> {
  const context = contextOf({ services: { ...services, web: photos } });
  try {
    await call(tool, args, context);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
  const changed = await rows("SELECT 1 FROM revisions WHERE op_key=?1 LIMIT 1", context.key);
  return changed.length === 0 ? null : context.key;
}

beforeEach(async () => {
  await emptySite();
  forgetSeeded();
  await ensureSeeded(env, Date.UTC(2025, 0, 1));
});

/** No page is called clean whose draft differs from what is published, and none that was clean is not so again. */
async function expectClean(before: readonly string[]): Promise<void> {
  const clean = await cleanPages();
  expect(before.filter((id) => !clean.includes(id))).toEqual([]);
  const [pages, published] = await Promise.all([loadPages(services, clean), loadPublished(services, clean)]);
  for (const one of pages) expect(publishedPageDocument(one)).toEqual(published.get(one.page.id)?.document);
}

const STEPS = 30;
/** Each step is written, taken back, done again and taken back: the longest test of the pack. */
const TIME_MS_MAX = 120_000;
const used = new Set<string>();

test.each([1, 2, 3, 4])(
  "all operations can be undone from the last to the first, and redone (seed %i)",
  async (seed) => {
    const chance = new Chance(seed);
    const states = [await wholeSite()];
    const clean = [await cleanPages()];
    const keys: string[] = [];
    for (let n = 1; keys.length < STEPS && n < 4 * STEPS; n += 1) {
      const act = await made(chance, seed * 1_000 + n);
      const key = act === null ? null : await done(act);
      if (act === null || key === null) continue;
      used.add(act[0].definition.name);
      keys.push(key);
      states.push(await wholeSite());
      clean.push(await cleanPages());
    }
    expect(keys.length).toBe(STEPS);
    const undone: string[] = [];
    for (const [i, key] of [...keys.entries()].toReversed()) {
      const context = contextOf();
      await call(undo, { operation: key }, context);
      undone.push(context.key);
      expect(await wholeSite()).toEqual(states[i]);
      await expectClean(clean[i] ?? []);
    }
    for (const [i, key] of [...undone.entries()].toReversed()) {
      await call(undo, { operation: key });
      expect(await wholeSite()).toEqual(states[STEPS - i]);
    }
    // From the end back to the beginning in one go, by the keys of the first time.
    for (const key of keys.toReversed()) await call(undo, { operation: key });
    expect(await wholeSite()).toEqual(states[0]);
  },
  TIME_MS_MAX,
);

test("every tool that writes was among them", () => {
  const writing = [...cmsPack.tools, ...imagesPack.tools].filter(
    ({ definition: { name, effect } }) => effect === "keyed" && !name.startsWith("changes_"),
  );
  expect([...used, "undo"].toSorted()).toEqual(writing.map((tool) => tool.definition.name).toSorted());
});
