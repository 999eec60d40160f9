import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { byStep, REPORT } from "../platform/fake-model.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import type { FakePlatform, Line } from "../platform/platform.ts";
import { FakeD1 } from "./d1.ts";
import { makeSmallSite } from "./small-site.ts";
import { siteSession } from "./session.ts";

/**
 * Whole runs of the site editor through the loop: model, approvals, tools and D1. The isolate dies once, at any place where
 * it crosses to its disk, its model or D1, and stands up again. However it dies, the run ends as it does without a death,
 * on the same site, with each write once; and visitors only ever see whole states.
 */

export interface SiteScript {
  readonly name: string;
  readonly runs: readonly (readonly Line[])[];
  /** how many different sites visitors may see in all */
  readonly publics: number;
}

export const SITE_LOOP_INVARIANTS = {
  same: "a run of the site ends the same wherever its isolate dies",
  whole: "visitors see each change of the site as a whole",
} as const;
export type SiteLoopFault = keyof typeof SITE_LOOP_INVARIANTS;

export interface SitePlay {
  /** places where the isolate could die */
  readonly places: number;
  readonly died: boolean;
  readonly publics: ReadonlySet<string>;
  readonly site: string;
  readonly ending: string;
}

const calls = (...list: readonly [string, JsonObject][]): Line => ({ calls: list });
const DONE: Line = { text: REPORT };
const page = (name: string): JsonObject => ({
  name,
  sections: [{ template: "hero", content: { title: name } }],
});
const publish = (...refs: string[]): Line =>
  calls(["set_status", { targets: refs.map((ref) => ({ type: "page", ref })), to: "published" }]);
const BEGIN: readonly Line[] = [
  calls(["page_create", page("Huts")], ["page_create", page("Paths")]),
  publish("huts", "paths"),
  DONE,
];

export const SITE_SCRIPTS: readonly SiteScript[] = [
  {
    name: "a change set over two pages is collected, published and taken back",
    runs: [
      BEGIN,
      [
        calls(["changes_begin", { name: "Spring" }]),
        calls(
          ["page_update", { page: "huts", name: "Spring huts" }],
          ["page_update", { page: "paths", name: "Spring paths" }],
        ),
        calls(["page_create", page("Flowers")]),
        calls(["changes_publish", {}]),
        DONE,
      ],
      [calls(["undo", {}]), DONE],
    ],
    publics: 3,
  },
  {
    name: "a page is made, deleted, brought back by undo and deleted again by redo",
    runs: [
      BEGIN,
      [calls(["page_delete", { pages: ["huts"] }]), DONE],
      [calls(["undo", {}]), DONE],
      [
        calls(["page_update", { page: "paths", name: "All paths" }]),
        publish("paths"),
        calls(["undo", {}]),
        DONE,
      ],
    ],
    publics: 4,
  },
];

/** Plays a script; the isolate dies at the place of this number, or not at all. */
export async function playOnSite(script: SiteScript, dieAt: number | null): Promise<SitePlay> {
  const db = new FakeD1();
  makeSmallSite(db);
  const publics = new Set<string>();
  let [places, died, isDead] = [0, false, false];
  let run = 0;
  const platform = siteSession(db, (request) => byStep(...(script.runs[run] ?? []))(request));
  const cross = (): void => {
    // Whatever is asked of a dead isolate fails.
    if (isDead) throw new Crash();
    places += 1;
    if (places - 1 !== dieAt) return;
    [died, isDead] = [true, true];
    throw new Crash();
  };
  platform.cross = cross;
  db.crossing = async (when) => {
    if (when === "after") publics.add(publicOf(db));
    cross();
  };
  for (const [at] of script.runs.entries()) {
    run = at;
    await lived(platform, () => (isDead = false), at);
  }
  const { log } = platform;
  const ending = JSON.stringify(
    log.flatMap(({ kind, body }) => (kind === "run_ended" ? [body.outcome] : [])),
  );
  const play = { places, died, publics, site: siteOf(db), ending };
  db.close();
  platform.disk.close();
  return play;
}

/** Says it, and goes on after each death until the run is over. */
async function lived(platform: FakePlatform, revive: () => void, at: number): Promise<void> {
  const id = `m${at}`;
  for (let turn = 0; turn < 40; turn++) {
    try {
      if (!platform.log.some((entry) => entry.kind === "user_message" && entry.body.id === id))
        platform.say(`Do what comes next, number ${at}.`, { id });
      await platform.settle();
      if (platform.state.run?.phase.at === "waiting_approval") platform.decide("approve");
      else if (platform.state.run === null && platform.state.queue.length === 0) return;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      revive();
      platform.restart();
    }
  }
  throw new Error("the run does not come to its end");
}

const publicOf = (db: FakeD1): string =>
  JSON.stringify(
    db.rows(
      "SELECT owner_id, json_remove(doc, '$.publishedAt') AS doc FROM published_docs ORDER BY owner_id",
    ),
  );

/** The site without times, and what was done to it. */
const siteOf = (db: FakeD1): string =>
  JSON.stringify([
    publicOf(db),
    db.rows("SELECT id, slug, name, status, deleted_at IS NULL AS stands FROM pages ORDER BY id"),
    db.rows("SELECT owner_id, locale, data FROM contents ORDER BY owner_id, locale"),
    db.rows("SELECT key, tool, undo_of, undone_by FROM operations ORDER BY key"),
    db.rows("SELECT state, version FROM change_sets ORDER BY id"),
    db.rows("SELECT count(*) AS left FROM change_set_rows"),
  ]);

export interface SiteExplored {
  readonly runs: number;
  readonly crashes: number;
  readonly faults: readonly { readonly rule: SiteLoopFault; readonly at: number }[];
}

/** Each place at which the isolate can die, one after the other; `every`: of so many places one. */
export async function exploreOnSite(script: SiteScript, every = 1): Promise<SiteExplored> {
  const usual = await playOnSite(script, null);
  const faults: { rule: SiteLoopFault; at: number }[] = [];
  if (usual.publics.size > script.publics) faults.push({ rule: "whole", at: -1 });
  let [runs, crashes] = [1, 0];
  for (let at = 0; at < usual.places; at += every) {
    const play = await playOnSite(script, at);
    runs += 1;
    crashes += play.died ? 1 : 0;
    if (play.site !== usual.site || play.ending !== usual.ending) faults.push({ rule: "same", at });
    if ([...play.publics].some((one) => !usual.publics.has(one))) faults.push({ rule: "whole", at });
  }
  return { runs, crashes, faults };
}
