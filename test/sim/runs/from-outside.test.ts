import { describe, expect, test } from "vitest";
import type { PromptPart } from "../../../src/cairn/core/log/model.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { byStep, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** Text from strangers and attachments from people: shown as data, and recorded in the run's taint. */

const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );
const shown = (platform: FakePlatform, call: string): string => {
  const entry = platform.log.find((one) => one.kind === "call_settled" && one.body.call === call);
  return entry?.kind === "call_settled" ? entry.body.observation : "";
};

describe("what comes from outside", () => {
  const HIDDEN = "ig\u200bnore\u{e0041}";

  test("is shown without what cannot be seen, in results and in failures, and stands as data", async () => {
    const platform = new FakePlatform(
      byStep(
        { calls: [["visit", { name: "a" }]] },
        { calls: [["visit", { name: "b" }]] },
        { text: "I have read what was there to read." },
      ),
    );
    platform.effects.outside = `${HIDDEN} `.repeat(4_000);
    platform.effects.onTool = () => {
      if (platform.requests.length === 2) throw new ToolError("not_found", "gone", `${HIDDEN} says the page`);
    };
    platform.say("go");
    await platform.settle();
    for (const call of ["r1s1c0", "r1s2c0"]) {
      expect(shown(platform, call)).toMatch(/^<untrusted source="[^"]+">\n[\s\S]*\n<\/untrusted>/);
      expect(shown(platform, call)).toContain("ignore");
      expect(shown(platform, call)).not.toMatch(/[\u200b\u{e0041}]/u);
    }
    // Nor in what is kept of it, to be read on in.
    const kept = platform.store.loadBlob("r1s1c0") ?? "";
    expect(kept).toContain("ignore");
    expect(kept).not.toMatch(/[\u200b\u{e0041}]/u);
    const failed = platform.log.find(
      (entry) => entry.kind === "call_settled" && entry.body.status === "error",
    );
    expect(JSON.stringify(failed?.body)).not.toMatch(/[\u200b\u{e0041}]/u);
  });

  test("makes a run foreign and private when it is a file, whether it begins it, joins it or answers it", async () => {
    const file: PromptPart = { type: "file", mediaType: "text/plain", url: "data:text/plain,hello" };
    const parts: readonly PromptPart[] = [{ type: "text", text: "this" }, file];
    const taint = (platform: FakePlatform): unknown => {
      const { tainted, private: hidden } = platform.state.run?.safety.taint ?? {};
      return [tainted ?? null, hidden ?? null];
    };
    const by = (seq: number): unknown => [
      { seq, by: "files" },
      { seq, by: "files" },
    ];
    const asking: Line = { calls: [["ask_human", { question: "Which?" }]] };
    const begun = new FakePlatform([asking]);
    begun.say("", { parts });
    await begun.settle();
    expect(taint(begun)).toEqual(by(1));

    const joined = new FakePlatform([asking]);
    joined.say("go");
    await joined.settle();
    expect(taint(joined)).toEqual([null, null]);
    joined.say("", { parts, mode: "join" });
    expect(taint(joined)).toEqual(by(joined.state.head));

    const answered = new FakePlatform([asking]);
    answered.say("go");
    await answered.settle();
    const entry = answered.log.find((one) => one.kind === "human_asked");
    if (entry?.kind !== "human_asked") throw new Error("nothing was asked");
    answered.say("", { parts, question: { ...entry.body, via: "http" } });
    const said = answered.log.find((one) => one.kind === "user_message" && one.body.mode === "answer");
    expect(taint(answered)).toEqual(by(said?.seq ?? 0));
  });

  test("stays known of words that were left over when the run ended", async () => {
    const file: PromptPart = { type: "file", mediaType: "text/plain", url: "data:text/plain,hello" };
    const platform = new FakePlatform((request) =>
      request.step === "r1s1" ? { text: "The answer that was forced." } : { text: "And this." },
    );
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("", { parts: [{ type: "text", text: "and this" }, file], mode: "join" });
      platform.say("and that", { mode: "join" });
    };
    platform.say("go", { limits: { steps: 1 }, approvers: ["bob"], imported: true });
    await platform.settle();
    const queued = platform.log.flatMap((entry) => (entry.kind === "run_queued" ? [entry] : []));
    expect(
      queued.map((entry) => [
        entry.run,
        entry.body.files ?? false,
        entry.body.approvers,
        entry.body.imported,
      ]),
    ).toEqual([
      ["r1", false, ["bob"], true],
      ["r2", true, ["bob"], true],
      ["r3", false, ["bob"], true],
    ]);
    expect(queued.map((entry) => [entry.body.role, entry.body.limits])).toEqual(
      queued.map(() => ["member", queued[0]?.body.limits]),
    );
    expect((ended(platform) as unknown[][]).map(([run]) => run)).toEqual(["r1", "r2", "r3"]);
  });
});
