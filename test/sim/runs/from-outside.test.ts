import { describe, expect, test } from "vitest";
import type { PromptPart } from "../../../src/core/log/model.ts";
import { ToolError } from "../../../src/tools/define.ts";
import { byStep, type Line } from "../platform/fake-model.ts";
import { World } from "../platform/platform.ts";

/** What strangers have written, and what people send along: shown as data, and remembered of the run. */

const ended = (world: World): unknown =>
  world.log.flatMap((row) =>
    row.kind === "run_ended" ? [[row.run, row.body.outcome, row.body.reason]] : [],
  );
const shown = (world: World, call: string): string => {
  const row = world.log.find((one) => one.kind === "call_settled" && one.body.call === call);
  return row?.kind === "call_settled" ? row.body.observation : "";
};

describe("what comes from outside", () => {
  const HIDDEN = "ig\u200bnore\u{e0041}";

  test("is shown without what cannot be seen, in results and in failures, and stands as data", async () => {
    const world = new World(
      byStep(
        { calls: [["visit", { name: "a" }]] },
        { calls: [["visit", { name: "b" }]] },
        { text: "I have read what was there to read." },
      ),
    );
    world.effects.outside = `${HIDDEN} `.repeat(4_000);
    world.effects.onTool = () => {
      if (world.requests.length === 2) throw new ToolError("not_found", "gone", `${HIDDEN} says the page`);
    };
    world.say("go");
    await world.settle();
    for (const call of ["r1s1c0", "r1s2c0"]) {
      expect(shown(world, call)).toMatch(/^<untrusted source="[^"]+">\n[\s\S]*\n<\/untrusted>/);
      expect(shown(world, call)).toContain("ignore");
      expect(shown(world, call)).not.toMatch(/[\u200b\u{e0041}]/u);
    }
    // Nor in what is kept of it, to be read on in.
    const kept = world.store.loadBlob("r1s1c0") ?? "";
    expect(kept).toContain("ignore");
    expect(kept).not.toMatch(/[\u200b\u{e0041}]/u);
    const failed = world.log.find((row) => row.kind === "call_settled" && row.body.status === "error");
    expect(JSON.stringify(failed?.body)).not.toMatch(/[\u200b\u{e0041}]/u);
  });

  test("makes a run foreign and private when it is a file, whether it begins it, joins it or answers it", async () => {
    const file: PromptPart = { type: "file", mediaType: "text/plain", url: "data:text/plain,hello" };
    const parts: readonly PromptPart[] = [{ type: "text", text: "this" }, file];
    const taint = (world: World): unknown => {
      const { tainted, private: hidden } = world.state.run?.safety.taint ?? {};
      return [tainted ?? null, hidden ?? null];
    };
    const by = (seq: number): unknown => [
      { seq, by: "files" },
      { seq, by: "files" },
    ];
    const asking: Line = { calls: [["ask_human", { question: "Which?" }]] };
    const begun = new World([asking]);
    begun.say("", { parts });
    await begun.settle();
    expect(taint(begun)).toEqual(by(1));

    const joined = new World([asking]);
    joined.say("go");
    await joined.settle();
    expect(taint(joined)).toEqual([null, null]);
    joined.say("", { parts, mode: "join" });
    expect(taint(joined)).toEqual(by(joined.state.head));

    const answered = new World([asking]);
    answered.say("go");
    await answered.settle();
    const row = answered.log.find((one) => one.kind === "human_asked");
    if (row?.kind !== "human_asked") throw new Error("nothing was asked");
    answered.say("", { parts, asked: { ...row.body, via: "http" } });
    const said = answered.log.find((one) => one.kind === "user_said" && one.body.mode === "answer");
    expect(taint(answered)).toEqual(by(said?.seq ?? 0));
  });

  test("stays known of words that were left over when the run ended", async () => {
    const file: PromptPart = { type: "file", mediaType: "text/plain", url: "data:text/plain,hello" };
    const world = new World((request) =>
      request.step === "r1s1" ? { text: "The answer that was forced." } : { text: "And this." },
    );
    world.onModel = () => {
      world.onModel = null;
      world.say("", { parts: [{ type: "text", text: "and this" }, file], mode: "join" });
      world.say("and that", { mode: "join" });
    };
    world.say("go", { limits: { steps: 1 }, approvers: ["bob"], imported: true });
    await world.settle();
    const queued = world.log.flatMap((row) => (row.kind === "run_queued" ? [row] : []));
    expect(
      queued.map((row) => [row.run, row.body.files ?? false, row.body.approvers, row.body.imported]),
    ).toEqual([
      ["r1", false, ["bob"], true],
      ["r2", true, ["bob"], true],
      ["r3", false, ["bob"], true],
    ]);
    expect(queued.map((row) => [row.body.role, row.body.limits])).toEqual(
      queued.map(() => ["member", queued[0]?.body.limits]),
    );
    expect((ended(world) as unknown[][]).map(([run]) => run)).toEqual(["r1", "r2", "r3"]);
  });
});
