import { describe, expect, test } from "vitest";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import type { Json } from "../../../src/cairn/core/log/json.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { CHAT, messengerPlatform } from "../channels/messenger.ts";
import { byStep, REPORT, type Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";

/** When a run is over, and what the person has of it, through the real loop. */

type Called = [tool: string, input: Json];
const look = (name: string): Called => ["look", { name }];
const put = (name: string): Called => ["put", { name }];
const tell = (text: string, more: object = {}): Called => ["send_message", { text, ...more }];
const of = <Kind extends EntryKind>(platform: FakePlatform, kind: Kind): Entry<Kind>["body"][] =>
  platform.log.flatMap((entry) => asKind(entry, kind)?.body ?? []);
const refused = (platform: FakePlatform): unknown[] =>
  of(platform, "review").flatMap(({ accept, codes }) => (accept ? [] : [codes]));
const answers = (platform: FakePlatform): string[] => of(platform, "answer").map(({ text }) => text);
const ended = (platform: FakePlatform): unknown[] =>
  of(platform, "run_ended").map(({ outcome, reason }) => [outcome, reason]);
const fates = (platform: FakePlatform, tool: string): string[] =>
  of(platform, "call_settled").flatMap((call) => (call.tool === tool ? [call.skip ?? call.status] : []));

type More = Parameters<FakePlatform["say"]>[1];

async function played(platform: FakePlatform, text: string, more: More = {}): Promise<FakePlatform> {
  platform.say(text, more);
  await platform.settle(3_600_000);
  expect(platform.folded).toEqual(platform.state);
  return platform;
}
const run = (text: string, ...lines: readonly Line[]): Promise<FakePlatform> =>
  played(new FakePlatform(byStep(...lines)), text);

const RESEARCH = { wanted: { limits: {}, profile: "research" as const } };

describe("scenario 24: a run that tells much", () => {
  test("is heard nine times of ten, and the tenth message is its answer", async () => {
    const { platform, told } = messengerPlatform(({ step }) => {
      const n = Number(/s(\d+)$/.exec(step)?.[1]);
      return n > 10
        ? { text: "All ten huts of the valley are open today, and each of them has beds left for the night." }
        : {
            calls: [
              look(`hut ${n}`),
              tell(`Hut number ${n} lies at ${n * 311} metres and is open ${"abcdefghij"[n - 1]}.`),
            ],
          };
    });
    await played(platform, "Look at ten huts", {
      origin: CHAT,
      wanted: { limits: { messages: 10 }, profile: "complex" },
    });
    expect(fates(platform, "send_message")).toEqual([...Array<string>(9).fill("ok"), "BUDGET_MESSAGES"]);
    expect(told).toHaveLength(9);
    expect(answers(platform)[0]).toMatch(/^All ten huts/);
    expect(ended(platform)).toEqual([["completed", null]]);
  });
});

test("scenario 25: after a part of the answer the run goes on, and its end is what it found last", async () => {
  const { platform, told } = messengerPlatform(
    byStep(
      { calls: [look("first hut"), tell("So far I have the first hut: it is open until October.")] },
      { calls: [look("second hut")] },
      { text: "The first hut is open until October, the second hut until November." },
    ),
  );
  await played(platform, "Until when are the two huts open?", { origin: CHAT });
  expect(told).toHaveLength(1);
  expect(platform.effects.reads).toBe(2);
  expect(answers(platform)).toEqual(["The first hut is open until October, the second hut until November."]);
  expect(ended(platform)).toEqual([["completed", null]]);
});

describe("scenario 32: to say that one is on it is no answer to a research task", () => {
  const onIt: Line = { text: "On it, working on it." };

  test("once said it is sent back, and then answered", async () => {
    const platform = await played(
      new FakePlatform(byStep(onIt, { calls: [look("huts")] }, { text: REPORT })),
      "Research the huts and report",
      RESEARCH,
    );
    expect(refused(platform)).toEqual([["ACK_ONLY"]]);
    expect(answers(platform)).toEqual([REPORT]);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("said again it is delivered as partial, below its receipt", async () => {
    const platform = await played(new FakePlatform(() => onIt), "Research the huts and report", RESEARCH);
    expect(refused(platform)).toEqual([["ACK_ONLY"], ["ACK_ONLY"]]);
    expect(answers(platform)).toEqual(["On it, working on it."]);
    expect(ended(platform)).toEqual([["completed_partial", "review:ACK_ONLY"]]);
    expect(platform.requests).toHaveLength(2);
  });
});

describe("scenario 33: a change that failed", () => {
  const failing = (...lines: readonly Line[]): FakePlatform => {
    const platform = new FakePlatform(byStep(...lines));
    platform.effects.broken.set("put", new ToolError("conflict", "taken", "The name is taken."));
    return platform;
  };

  test("is not made good by a look at something else: it has to be told", async () => {
    const platform = await played(
      failing(
        { calls: [put("a page")] },
        { calls: [look("an unrelated picture")] },
        { text: "All done: an unrelated picture is there, and so is the rest." },
        { text: "An unrelated picture is there, but the page could not be put: the update failed." },
      ),
      "Put the page there",
    );
    expect(refused(platform)).toEqual([["ERROR_UNRESOLVED"]]);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("that is told is accepted as it is", async () => {
    const platform = await played(
      failing({ calls: [put("a page")] }, { text: "The update failed: the name is taken." }),
      "Put the page there",
    );
    expect(refused(platform)).toEqual([]);
  });
});

describe("scenario 34: a word about later", () => {
  const later = { text: "I will get back to you tomorrow with the rest." };

  test("is no answer where nothing is scheduled", async () => {
    const platform = await run("Look at the huts", { calls: [look("huts")] }, later, { text: REPORT });
    expect(refused(platform)).toEqual([["EMPTY_PROMISE"]]);
    expect(answers(platform)).toEqual([REPORT]);
  });

  test("is one where the run has scheduled it", async () => {
    const platform = new FakePlatform(
      byStep({ calls: [["schedule_task", { text: "Look at the huts", inMinutes: 1_440 }]] }, later),
    );
    platform.plans = true;
    platform.restart();
    await played(platform, "Look at the huts tomorrow");
    expect(refused(platform)).toEqual([]);
    expect(answers(platform)).toEqual([later.text]);
    expect(platform.scheduleStore.all()).toHaveLength(1);
  });
});

describe("scenario 35: a claim", () => {
  test("that something was published is sent back once if it was not", async () => {
    const platform = await run(
      "Publish the page.",
      { text: "Published the page." },
      { text: "The page is not published yet." },
    );
    expect(refused(platform)).toEqual([["CLAIM_UNBACKED"]]);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("that something was done is accepted if it was", async () => {
    const platform = await run("Put the new title there.", { calls: [put("title")] }, { text: "Done." });
    expect(refused(platform)).toEqual([]);
    expect(answers(platform)).toEqual(["Done."]);
  });
});

describe("scenario 36: an answer beside a call, and then nothing", () => {
  const beside = "The hut is called hut, and it is open.";

  test("is the answer where nothing is new since", async () => {
    const platform = await run(
      "What is there?",
      { calls: [look("hut")] },
      { text: beside, calls: [look("hut")] },
      { text: "" },
    );
    expect(answers(platform)).toEqual([beside]);
    expect(ended(platform)).toEqual([["completed", null]]);
  });

  test("is asked for where the call has found something", async () => {
    const platform = await run(
      "What is there?",
      { text: beside, calls: [look("hut")] },
      { text: "" },
      { text: "The hut is there: hut is what the look at it says." },
    );
    expect(answers(platform)).toEqual(["The hut is there: hut is what the look at it says."]);
    expect(of(platform, "verdict").map(({ code }) => code)).toEqual(["EMPTY"]);
  });
});

test("scenario 37: no model judges an answer: what the rules say of it stands", async () => {
  const platform = await run(
    "Look at the hut",
    { calls: [look("hut")] },
    { text: "I will get back to you later." },
    { text: REPORT },
  );
  expect(of(platform, "review").map(({ by, accept }) => [by, accept])).toEqual([
    ["rules", false],
    ["rules", true],
  ]);
  expect(platform.requests.map(({ step }) => step)).toEqual(["r1s1", "r1s2", "r1s3"]);
});

test("scenario 38: of three parts of a request the first that succeeds does not end the run", async () => {
  const platform = new FakePlatform(
    byStep(
      { calls: [["schedule_task", { text: "Look again", inMinutes: 1_440 }]] },
      { calls: [put("page")] },
      { calls: [look("page")] },
      { text: "The page was put there and looked at, and a second look is scheduled for tomorrow." },
    ),
  );
  platform.plans = true;
  platform.restart();
  await played(platform, "Look again tomorrow; put the page there now; then tell me what it shows");
  expect(of(platform, "call_settled").map(({ tool, status }) => [tool, status])).toEqual([
    ["schedule_task", "ok"],
    ["put", "ok"],
    ["look", "ok"],
  ]);
  expect(ended(platform)).toEqual([["completed", null]]);
});

test("scenario 26: two runs share nothing of what they remember of their calls", async () => {
  const platform = new FakePlatform(({ step }) =>
    step.endsWith("s1") ? { calls: [look("hut"), put("page")] } : { text: REPORT },
  );
  await played(platform, "Look, and put it there");
  await played(platform, "Look, and put it there");
  expect([platform.effects.reads, platform.effects.keyed.size]).toEqual([2, 2]);
  expect(of(platform, "call_settled").every(({ reusedFrom }) => reusedFrom === null)).toBe(true);
});

test("an answer by messages alone ends the run once it is out", async () => {
  const { platform, told } = messengerPlatform(
    byStep({ calls: [look("hut")] }, { calls: [tell(REPORT, { kind: "final" })] }, { text: "" }),
  );
  await played(platform, "What is there?", { origin: CHAT, spec: { ...PLAIN_SPEC, deliver: "tool" } });
  expect(told.map(({ text }) => text)).toEqual([`Nothing was changed.\n\n${REPORT}`]);
  expect(ended(platform)).toEqual([["completed", null]]);
});
