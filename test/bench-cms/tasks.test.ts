import { describe, expect, test, vi } from "vitest";
import { KINDS, type Task } from "./format.ts";
import { Deaths } from "./run/deaths.ts";
import { difference, misses } from "./run/difference.ts";
import { gradeTask } from "./run/grade.ts";
import { Names } from "./run/names.ts";
import { playTask } from "./run/play.ts";
import { sampleSite } from "./run/sample.ts";
import { readState } from "./run/state.ts";
import { Witness } from "./run/witness.ts";
import { renderTable } from "./report.ts";
import { TASKS } from "./tasks.ts";

/** The tasks themselves, how they are graded, and a part of them; `npm run bench:cms` plays all of them. */

// A dying isolate complains on its way out.
vi.spyOn(console, "error").mockImplementation(() => {});

const found = (id: string): Task => {
  const task = TASKS.find((one) => one.id === id);
  if (task === undefined) throw new Error(`there is no task ${id}`);
  return task;
};
const sizeOf = (values: readonly unknown[]): number => new Set(values.map((one) => JSON.stringify(one))).size;

describe("the tasks", () => {
  test("are of every kind, and no two of them have a name or a wish in common", () => {
    expect(KINDS.filter((kind) => !TASKS.some((task) => task.kind === kind))).toEqual([]);
    expect(sizeOf(TASKS.map(({ id }) => id))).toBe(TASKS.length);
    const wishes = TASKS.map(({ wish, start, earlier, meanwhile, decisions }) => [
      wish,
      start,
      earlier,
      meanwhile,
      decisions,
    ]);
    expect(sizeOf(wishes)).toBe(TASKS.length);
  });

  test("are at least 200 with wishes and ends of their own, of at least 60 shapes", () => {
    expect(sizeOf(TASKS.map(({ wish }) => wish))).toBeGreaterThanOrEqual(200);
    expect(sizeOf(TASKS.map(({ expected }) => expected))).toBeGreaterThanOrEqual(200);
    // Which tools with which fields, and which fields of which things differ in the end.
    const shapes = TASKS.map(({ gold, earlier, expected }) => [
      [...(earlier ?? []).flatMap(({ calls }) => calls), ...gold].map(([tool, input, becomes]) => [
        tool,
        Object.keys(input),
        becomes,
      ]),
      Object.entries(expected).map(([name, change]) => [name.split(" ").slice(0, 2), Object.keys(change)]),
    ]);
    expect(sizeOf(shapes)).toBeGreaterThanOrEqual(60);
  });

  test("have the three incidents that were told of elsewhere among them", () => {
    const incidents = TASKS.filter(({ kind }) => kind === "incidents").map(({ id }) => id);
    for (const name of ["unasked", "way-back", "push"])
      expect(incidents.filter((id) => id.startsWith(`incident-${name}`)).length).toBeGreaterThan(3);
  });
});

describe("a grade", () => {
  test("holds what is unexpected, what is missing and what is other than it should be", () => {
    expect(
      misses({ a: { x: 1, y: 2 }, b: "gone", "+ c": { z: 1 } }, { a: { x: 1, y: 3, w: 4 }, d: { v: null } }),
    ).toEqual([
      "a y: 2, not 3",
      "missing: a w 4",
      'missing: d {"v":null}',
      'unexpected: b "gone"',
      'unexpected: + c {"z":1}',
    ]);
    expect(misses({ a: { x: { k: 1, l: 2 } } }, { a: { x: { l: 2, k: 1 } } })).toEqual([]);
  });

  test("sees every row of the site that is written behind the tools", async () => {
    const { db } = await sampleSite();
    const names = new Names();
    const before = readState(db, names);
    const seen = (sql: string): string[] => {
      db.exec("BEGIN");
      db.exec(sql);
      const changed = Object.keys(difference(before, readState(db, names)));
      db.exec("ROLLBACK");
      return changed;
    };
    expect(seen("UPDATE pages SET name='X' WHERE id='pg_about'")).toEqual(["page about"]);
    expect(seen("UPDATE pages SET version=9 WHERE id='pg_about'")).toEqual(["page about"]);
    expect(seen("UPDATE sections SET hidden=1 WHERE id='sc_about_hero'")).toEqual(["section about/hero"]);
    expect(seen("UPDATE contents SET data='{}' WHERE owner_id='sc_home_hero' AND locale='de'")).toEqual([
      "section home/hero",
    ]);
    expect(seen("UPDATE nav_items SET sort_key='zz' WHERE id='nv_footer_about'")).toEqual(["footer"]);
    expect(seen("DELETE FROM published_docs WHERE owner_id='en_packing_light'")).toEqual([
      "header",
      "public post packing-light",
    ]);
    expect(seen("UPDATE entries SET published_at=7 WHERE id='en_winter_routes'")).toEqual([]);
    expect(seen("UPDATE images SET alt='X' WHERE id='im_ridge'")).toEqual(["image ridge"]);
    expect(seen("INSERT INTO redirects VALUES('env_main','/site/x','page','pg_about',1)")).toEqual([
      "+ redirect /site/x",
    ]);
    expect(seen("UPDATE settings SET value='{}' WHERE key='theme'")).toEqual(["setting theme"]);
    db.close();
  });

  test("finds a half that visitors see, and what is done twice", async () => {
    const { db } = await sampleSite();
    const witness = new Witness(db);
    witness.look();
    expect(witness.faults).toEqual([]);
    db.exec("UPDATE published_docs SET doc=json_set(doc,'$.name','X') WHERE owner_id='pg_about'");
    witness.look();
    expect(witness.faults).toEqual([
      "visitors saw a half: 0 operations in a batch that changed what is public",
    ]);
    db.exec(`INSERT INTO operations(key,env_id,tool,args_digest,result,actor,summary,created_at)
      SELECT value,'env_main','x','x','{}','x','x',1 FROM json_each('["a","b"]')`);
    witness.look();
    expect(witness.faults).toContain("two operations in one batch");
    db.close();
  });

  test("is none for a model that does nothing, or publishes too what it was asked to edit", async () => {
    const edit = found("incident-unasked-edit");
    const idle = await playTask({ ...edit, gold: [] }, "gold", new Deaths(null));
    expect(misses(idle.difference, edit.expected)).not.toEqual([]);
    const publish = ["set_status", { targets: [{ type: "page", ref: "about" }], to: "published" }] as const;
    const eager = await playTask({ ...edit, gold: [...edit.gold, publish] }, "gold", new Deaths(null));
    expect(misses(eager.difference, edit.expected)).toEqual([
      'missing: page about {"dirty":true}',
      'unexpected: public section about/hero {"title":"Slow walks"}',
    ]);
  });
});

test("a part of the tasks is fulfilled by its gold calls, and under deaths too", async () => {
  const part = TASKS.filter((_, at) => at % 12 === 0);
  let deaths = 0;
  for (const task of part) {
    const { gold, crashes } = await gradeTask(task, [1], null);
    expect([task.id, gold, crashes.flatMap(({ faults }) => faults)]).toEqual([task.id, [], []]);
    for (const one of crashes) deaths += one.deaths;
  }
  expect(deaths).toBeGreaterThan(20);
}, 120_000);

test("a wish can be left to the rehearsal model, whose score stands beside the others", async () => {
  const task = found("restraint-pages");
  const grade = await gradeTask(task, [], "rehearsal");
  expect(grade).toMatchObject({ gold: [], mind: [] });
  expect(grade.answer).toContain("About");
  expect(renderTable([{ task, grade: { ...grade, gold: ["a fault"] } }], "rehearsal")).toBe(
    [
      "| kind      | tasks | gold | gold under deaths | deaths | rehearsal model |",
      "| --------- | ----: | ---: | ----------------: | -----: | --------------: |",
      "| restraint |     1 |  0 % |                 – |      0 |           100 % |",
      "| in all    |     1 |  0 % |                 – |      0 |           100 % |",
    ].join("\n"),
  );
});
