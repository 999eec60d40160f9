import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { agentTool } from "../../../src/cairn/core/family/ask.ts";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import type { FakePlatform } from "../platform/platform.ts";
import { of } from "./attempts.ts";
import { asks, call, calls, FIRST, hands, ROOT, says, stops, type Parts } from "./scripts.ts";
import { World, type TreeDeed, type TreeScript } from "./world.ts";

/** Sessions of a tree that cannot be reached for long, or fail inside: nobody waits for ever, and nothing goes on unseen. */

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const HOUR_MS = 60 * 60_000;
const FAILED = { ok: false, error: { status: 500, code: "session_failed", message: "It failed inside." } };

/** Fate of a message to the child: it arrives, is lost, or its session fails internally. */
type Fate = "arrives" | "lost" | "fails";

class CutWorld extends World {
  fateOf: (what: string, platform: FakePlatform) => Fate = () => "arrives";
  readonly tried: { readonly what: string; readonly at: number }[] = [];

  override async send<Answer>(
    from: FakePlatform,
    to: string,
    what: string,
    deliver: (platform: FakePlatform) => Promise<Answer>,
  ): Promise<Answer> {
    if (to !== FIRST) return super.send(from, to, what, deliver);
    this.tried.push({ what, at: this.now });
    const fate = this.fateOf(what, this.session(to));
    if (fate === "lost") throw new Error("the network is gone");
    return fate === "fails" ? (FAILED as Answer) : super.send(from, to, what, deliver);
  }
}

const WAITING: Parts = {
  [ROOT]: [calls(hands("Publish a."))],
  [FIRST]: [call("publish", "a"), call("publish", "b")],
};

const worldOf = (parts: Parts, deeds: readonly TreeDeed[]): CutWorld => {
  const script: TreeScript = { name: "a tree of a test", says: says(parts), deeds };
  return new CutWorld(script, new Map(), "all");
};

const rowsOf = (world: World): unknown[] =>
  world.session(ROOT).disk.exec("SELECT name, state, due FROM family");
const reasonsOf = (world: World): unknown[] =>
  of(world, ROOT, "child_reported").map(({ body }) => body.reason);

describe.each(["lost", "fails"] as const)("a child whose words are %s", (fate) => {
  test("is told to stop until it has answered, long after its parent has ended", async () => {
    let healedAt = 0;
    const heals: TreeDeed = {
      when: "rest",
      act: (world) => {
        const ended = of(world, ROOT, "run_ended")[0];
        if (ended === undefined || world.now < ended.at + 16 * HOUR_MS) return false;
        healedAt = world.now;
        return true;
      },
    };
    const world = worldOf(WAITING, [asks("m1"), heals]);
    world.fateOf = (what) => (what === "startChild" || healedAt > 0 ? "arrives" : fate);
    await world.play();
    expect(reasonsOf(world)).toEqual(["child_lost"]);
    expect(of(world, ROOT, "run_ended")).toHaveLength(1);
    const before = world.tried.filter(({ what, at }) => what === "stopChild" && at < healedAt);
    // Ever more seldom, and never given up.
    expect(before.length).toBeGreaterThan(8);
    expect(before.length).toBeLessThan(40);
    expect(healedAt - (before.at(-1)?.at ?? 0)).toBeLessThanOrEqual(6 * HOUR_MS);
    // The child waited for a person all that time, and ends before its approval expires.
    expect(of(world, FIRST, "run_ended").map(({ body }) => body.outcome)).toEqual(["cancelled"]);
    expect(rowsOf(world)).toEqual([{ name: FIRST, state: "done", due: null }]);
    expect(world.session(FIRST).effects.once).toEqual([]);
  });

  test("that was to be stopped anyway is reported as lost, and told on", async () => {
    let healed = false;
    const heals: TreeDeed = {
      when: "rest",
      act: (world) => {
        healed =
          of(world, ROOT, "run_ended").length === 1 && world instanceof CutWorld && world.tried.length > 12;
        return healed;
      },
    };
    const world = worldOf(WAITING, [asks("m1"), stops(ROOT), heals]);
    world.fateOf = (what) => (what === "startChild" || healed ? "arrives" : fate);
    await world.play();
    expect(of(world, FIRST, "run_ended").map(({ body }) => body.outcome)).toEqual(["cancelled"]);
    expect(rowsOf(world)).toEqual([{ name: FIRST, state: "done", due: null }]);
  });
});

test("a child that fails when it is asked how it is has not been deleted", async () => {
  let asked = 0;
  const decides: TreeDeed = {
    when: "rest",
    act: (world) => {
      const { state } = world.session(FIRST);
      if (asked < 2 || state.run?.phase.at !== "waiting_approval") return false;
      return world.ask(FIRST, (platform) => platform.decide("deny"));
    },
  };
  const world = worldOf({ ...WAITING, [FIRST]: [call("publish", "a")] }, [asks("m1"), decides]);
  world.fateOf = (what) => (what === "askChild" && ++asked < 3 ? "fails" : "arrives");
  await world.play();
  expect(asked).toBeGreaterThan(2);
  expect(of(world, ROOT, "child_reported").map(({ body }) => body.outcome)).toEqual(["completed"]);
});

describe("a start whose session fails inside", () => {
  /** The disk of the child fails once, there. */
  const failsAt = (where: string): CutWorld => {
    const world = worldOf({ ...WAITING, [FIRST]: [call("look", "a")] }, [asks("m1")]);
    let failed = false;
    world.fateOf = (what, platform) => {
      if (what !== "startChild") return "arrives";
      const { cross } = platform;
      platform.cross = (here) => {
        if (here === where && !failed) {
          failed = true;
          platform.cross = cross;
          throw new Error("the disk failed");
        }
        cross(here);
      };
      return "arrives";
    };
    return world;
  };

  test("is a failure of that step, and not an unknown outcome, where nothing was started", async () => {
    const world = failsAt("commit: before");
    await world.play();
    const [settled] = of(world, ROOT, "call_settled");
    expect(settled?.body).toMatchObject({
      status: "error",
      failure: { code: "session_failed", class: "internal" },
    });
    expect(of(world, ROOT, "call_intended")).toHaveLength(1);
    expect(world.tried.map(({ what }) => what)).toEqual(["startChild"]);
    expect(world.session(FIRST).log).toEqual([]);
  });

  test("is a start where it was committed before the failure", async () => {
    const world = failsAt("commit: after");
    await world.play();
    expect(of(world, ROOT, "child_reported").map(({ body }) => body.outcome)).toEqual(["completed"]);
    expect(world.tried.filter(({ what }) => what === "startChild")).toHaveLength(1);
  });
});

describe("an output schema as models write it", () => {
  const PROPERTIES: JsonObject = { title: { type: "string" } };

  test.each<[string, JsonObject]>([
    ["the name of a type for a schema", { type: "object", properties: { title: "string" } }],
    ["a $ref to elsewhere", { $ref: "https://json-schema.org/draft/2020-12/schema" }],
    ["a $ref to nothing", { type: "object", properties: { a: { $ref: "#/$defs/a" } } }],
    ["a schema that refers to itself", { $defs: { a: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }],
    [
      "if and then",
      { type: "object", properties: PROPERTIES, if: { required: ["title"] }, then: { minProperties: 1 } },
    ],
    ["an unknown type", { type: "text" }],
    ["a type in the place of the schema", { properties: 5 }],
    ["required that is no list", { type: "object", properties: PROPERTIES, required: "title" }],
    ["too many levels", nested(40)],
  ])("%s is refused in the same step, or works, and never ends as unknown", async (_, output) => {
    const world = worldOf({ [ROOT]: [calls(hands("Look at a.", { output }))] }, [asks("m1")]);
    await world.play();
    const settled = of(world, ROOT, "call_settled");
    const starts = settled.filter(({ body }) => body.tool === "run_agent");
    expect(starts).toHaveLength(1);
    expect(starts[0]?.body.status).not.toBe("unknown");
    expect(world.tried.filter(({ what }) => what === "startChild").length).toBeLessThan(2);
    if (world.tried.length > 0) return;
    expect(starts[0]?.body.failure).toMatchObject({ class: "invalid_args" });
    expect(world.has(FIRST)).toBe(false);
  });

  test("that is none names its fault to the model, and a right one is the form of the child's answer", async () => {
    const bad = worldOf(
      { [ROOT]: [calls(hands("Look.", { output: { type: "object", properties: { title: "string" } } }))] },
      [asks("m1")],
    );
    await bad.play();
    expect(of(bad, ROOT, "call_settled")[0]?.body.failure?.class).toBe("invalid_args");
    expect(bad.tried).toEqual([]);

    const good = worldOf(
      {
        [ROOT]: [calls(hands("Look.", { output: { type: "object", properties: PROPERTIES } }))],
        [FIRST]: [calls(["complete", { value: { title: "A" } }])],
      },
      [asks("m1")],
    );
    await good.play();
    expect(of(good, ROOT, "child_reported").map(({ body }) => body.value)).toEqual([{ title: "A" }]);
  });
});

function nested(levels: number): JsonObject {
  return levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } };
}

test("the tool of an agent is named after it, cut to what providers take", () => {
  expect(agentTool("seo-writer")).toBe("agent_seo_writer");
  expect(agentTool("x".repeat(90))).toHaveLength(48);
});
