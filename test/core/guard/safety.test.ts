import { describe, expect, test } from "vitest";
import type { Entry, EntryKind } from "../../../src/core/entries.ts";
import {
  beginSafety,
  changeSafety,
  GUARD_ERROR,
  hasFiles,
  NO_SAFETY,
  RULE_OF_TWO,
  taintOf,
  type Safety,
} from "../../../src/core/guard/safety.ts";
import { applyRead, TAINTED_AND_PRIVATE, UNTAINTED, type Taint } from "../../../src/core/guard/taint.ts";
import type { PromptPart } from "../../../src/core/model.ts";
import { EMPTY_STATE, type EndedRun, type LiveRun, type State } from "../../../src/core/state.ts";
import { leftoverRuns } from "../../../src/core/leftover.ts";
import { World, type Line } from "../../sim/world.ts";

/** What a run is held to by what it has read: from its beginning, by each of its rows, and in the runs that it leaves behind. */

const TAINTED: Taint = { tainted: { seq: 2, by: "visit" }, private: null };
const PRIVATE: Taint = { tainted: null, private: { seq: 3, by: "look" } };
const image: PromptPart = { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" };
const text: PromptPart = { type: "text", text: "Words." };
const ended = (run: string, taint: Taint): EndedRun => ({ run, taint }) as EndedRun;

test("files are files beside words too", () => {
  expect([hasFiles([text]), hasFiles([image]), hasFiles([text, image]), hasFiles([])]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

describe("a run begins", () => {
  const entity = { type: "page", id: "p1", name: "About", tool: null, step: null, seq: 1 } as const;
  const fact = { key: "k", seq: 1 } as State["memory"]["facts"][number];
  const begin = (state: Partial<State>, more: Partial<Parameters<typeof beginSafety>[1]> = {}): Taint =>
    beginSafety({ ...EMPTY_STATE, ...state }, { said: 9, source: "api", role: "member", ...more }).taint;
  const memory = (more: Partial<State["memory"]>) => ({ memory: { ...EMPTY_STATE.memory, ...more } });
  const by = (cause: string) => ({ seq: 9, by: cause });

  test.each<readonly [string, Taint, Taint]>([
    ["clean", begin({}), UNTAINTED],
    [
      "as any of the runs before it",
      begin({ ended: [ended("r1", TAINTED), ended("r2", UNTAINTED)] }),
      { tainted: by("history"), private: null },
    ],
    [
      "as all of them together",
      begin({ ended: [ended("r1", TAINTED), ended("r2", PRIVATE)] }),
      { tainted: by("history"), private: by("history") },
    ],
    [
      "private by a thing in mind",
      begin(memory({ entities: [entity] })),
      { tainted: null, private: by("memory") },
    ],
    ["private by a fact", begin(memory({ facts: [fact] })), { tainted: null, private: by("memory") }],
    [
      "tainted by what a tainted run remembered",
      begin({ ...memory({ facts: [fact] }), taintedMemory: true }),
      { tainted: by("memory"), private: by("memory") },
    ],
    ["clean where all of that is forgotten", begin({ taintedMemory: true }), UNTAINTED],
    [
      "tainted in a session that was imported",
      begin({}, { imported: true }),
      { tainted: by("import"), private: null },
    ],
    ["both by files", begin({}, { files: true }), { tainted: by("files"), private: by("files") }],
    ["tainted by a webhook", begin({}, { source: "webhook" }), { tainted: by("webhook"), private: null }],
  ])("%s", (_name, found, wanted) => expect(found).toEqual(wanted));

  test("with nothing where it was queued before any of this was kept", () => {
    const state = { ...EMPTY_STATE, ended: [ended("r1", TAINTED_AND_PRIVATE)] };
    expect(beginSafety(state, { said: 9, source: "webhook", files: true })).toEqual(NO_SAFETY);
  });
});

describe("each row", () => {
  const access = (reads: string) => ({ tier: "open", reads, reach: "none", public: false });
  const live = (safety: Partial<Safety> = {}): LiveRun =>
    ({
      run: "r3",
      step: 4,
      safety: { ...NO_SAFETY, ...safety },
      phase: {
        at: "acting",
        calls: [
          { call: "c0", access: access("private") },
          { call: "c1", access: access("outside") },
        ],
      },
    }) as unknown as LiveRun;
  const row = (kind: EntryKind, body: object): Entry => ({ seq: 20, kind, body }) as unknown as Entry;
  const after = (run: LiveRun, kind: EntryKind, body: object, before: readonly EndedRun[] = []): Safety =>
    changeSafety(run, row(kind, body), before);
  const settled = (body: object): object => ({ call: "c0", tool: "look", status: "ok", ...body });

  test("that a person or a webhook adds taints by who says it and by its files", () => {
    const said = (source: string, parts: readonly PromptPart[]): Taint =>
      after(live(), "user_said", { source, parts }).taint;
    expect(said("api", [text])).toEqual(UNTAINTED);
    expect(said("api", [text, image])).toEqual({
      tainted: { seq: 20, by: "files" },
      private: { seq: 20, by: "files" },
    });
    expect(said("webhook", [text])).toEqual({ tainted: { seq: 20, by: "webhook" }, private: null });
  });

  test("of a result taints as its own call reads, and not as another of its reply", () => {
    expect(after(live(), "call_settled", settled({})).taint).toEqual({
      tainted: null,
      private: { seq: 20, by: "look" },
    });
    expect(after(live(), "call_settled", settled({ call: "c1", tool: "visit" })).taint).toEqual({
      tainted: { seq: 20, by: "visit" },
      private: null,
    });
    expect(after(live(), "call_settled", settled({ call: "c9" })).taint).toEqual(UNTAINTED);
  });

  test("that reads on in another run carries what that one had, and the worst where nobody knows", () => {
    const from = (readFrom: string): Taint =>
      after(live(), "call_settled", settled({ call: "c9", readFrom }), [ended("r1", TAINTED)]).taint;
    expect(from("r1")).toEqual(UNTAINTED);
    const read = (readFrom: string): Taint =>
      after(live(), "call_settled", settled({ readFrom }), [ended("r1", TAINTED)]).taint;
    expect(read("r1")).toEqual({ tainted: { seq: 20, by: "look" }, private: { seq: 20, by: "look" } });
    expect(read("?").tainted).toEqual({ seq: 20, by: "look" });
    expect(taintOf("r1", [ended("r1", PRIVATE)])).toEqual(PRIVATE);
    expect(taintOf("?", [])).toEqual(TAINTED_AND_PRIVATE);
  });

  test("that refuses for want of a right is counted, each of them", () => {
    const once = after(live(), "call_settled", settled({ status: "refused", skip: "ADMIN_ONLY" }));
    expect(once).toEqual({ ...NO_SAFETY, denials: [20] });
    expect(after(live({ denials: [7] }), "call_settled", settled({ skip: "CHANNEL_DENY" })).denials).toEqual([
      7, 20,
    ]);
    expect(after(live(), "call_settled", settled({ status: "refused", skip: "SIG_BANNED" })).denials).toEqual(
      [],
    );
  });

  test("of a guard that threw is a fault at its place, each of them", () => {
    const first = { point: "before_model", step: 1 };
    const fired = { code: GUARD_ERROR, rule: "x", point: "after_result" };
    expect(after(live({ faults: [first] }), "guard_fired", fired).faults).toEqual([
      first,
      { point: "after_result", step: 4 },
    ]);
    expect(after(live({ faults: [first] }), "call_settled", settled({ skip: GUARD_ERROR })).faults).toEqual([
      first,
      { point: "before_tool", step: 4 },
    ]);
  });

  test("that tells of the rule of two is remembered, the first of them", () => {
    const told = { code: "NEEDS_APPROVAL", rule: RULE_OF_TWO, point: "before_tool" };
    expect(after(live(), "guard_fired", told).told).toBe(20);
    expect(after(live({ told: 5 }), "guard_fired", told).told).toBe(5);
    expect(after(live(), "guard_fired", { ...told, rule: "permits.other" }).told).toBeNull();
  });
});

test("the first cause of either stands", () => {
  const both = { seq: 30, tool: "new", status: "ok", reads: undefined } as const;
  expect(applyRead(TAINTED, both)).toEqual({ tainted: TAINTED.tainted, private: { seq: 30, by: "new" } });
  expect(applyRead(PRIVATE, both)).toEqual({ tainted: { seq: 30, by: "new" }, private: PRIVATE.private });
});

describe("words that joined a run and that no model has read", () => {
  /** Somebody's run, as they have it, that is joined in its last step by words and a file. */
  async function joined(more: object): Promise<World> {
    const lines: Line[] = [{ text: "The first is done." }, { text: "The second is done." }];
    const world = new World(lines);
    const wanted = { limits: { steps: 1, toolCalls: 7 }, profile: "standard", caps: { steps: 3 } } as const;
    world.say("First.", { wanted, ...more });
    let words = 0;
    world.onModel = () => {
      if (words++ === 0) world.say("Second.", { ...more, parts: [text, image], mode: "join" });
    };
    await world.settle();
    return world;
  }

  test.each(["guest", "member", "admin"] as const)(
    "are worked in a run of their own, with the very rights of a %s who said them",
    async (role) => {
      const more = { role, source: "web", fallbacks: ["b:"], temperature: 0.3, approvers: ["bob"] } as const;
      const world = await joined(more);
      const queued = world.log.flatMap((entry) => (entry.kind === "run_queued" ? [entry] : []));
      const [first, second] = queued;
      expect(queued.map(({ run }) => run)).toEqual(["r1", "r2"]);
      const said = world.log.findLast((entry) => entry.kind === "user_said");
      expect(second?.body).toEqual({
        ...first?.body,
        message: said?.kind === "user_said" ? said.body.id : "",
        said: said?.seq,
        files: true,
      });
      expect(second?.body).toMatchObject({ role, source: "web", fallbacks: ["b:"], approvers: ["bob"] });
      expect(world.folded).toEqual(world.state);
    },
  );

  test("are those alone that nobody has read, each in a run of its own", () => {
    const said = (seq: number, parts: readonly PromptPart[]): Entry =>
      ({ seq, kind: "user_said", body: { id: `m${seq}`, parts } }) as unknown as Entry;
    const run = {
      ...{
        run: "r1",
        said: 1,
        unread: [1, 4, 6, 8],
        actor: "ada",
        source: "api",
        model: "m:",
        fallbacks: [],
      },
      ...{ wanted: { limits: {} }, temperature: null, role: "guest", imported: true },
    } as unknown as LiveRun;
    const rows = [said(1, [text]), said(4, [text]), said(6, [text]), said(8, [image])];
    const found = leftoverRuns({ ...EMPTY_STATE, runs: 5 }, run, rows, 4);
    expect(found.map(({ run: name, body }) => [name, body])).toEqual([
      ["r6", expect.objectContaining({ said: 6, message: "m6", role: "guest", imported: true })],
      ["r7", expect.objectContaining({ said: 8, message: "m8", role: "guest", files: true })],
    ]);
    expect(found[0]?.body).not.toHaveProperty("files");
    expect(
      leftoverRuns({ ...EMPTY_STATE, runs: 5 }, run, rows, 0).map(({ body }) => "said" in body && body.said),
    ).toEqual([4, 6, 8]);
  });
});
