import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { CHAT, messengerPlatform } from "./messenger.ts";
import { REPORT } from "../platform/fake-model.ts";
import type { FakePlatform, Line } from "../platform/platform.ts";

// Some of these isolates die.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const tell = (text: string, more: object = {}): [string, { text: string }] => [
  "send_message",
  { text, ...more },
];
const steps =
  (...lines: readonly Line[]) =>
  ({ step }: { readonly step: string }): Line =>
    lines[Number(/s(\d+)$/.exec(step)?.[1] ?? 1) - 1] ?? { text: "Everything is done as you asked." };

/** status of each message, with the verdict that kept it back */
const fates = ({ log }: FakePlatform): string[] =>
  log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.tool === "send_message"
      ? [entry.body.skip ?? (entry.body.reusedFrom === null ? entry.body.status : "reused")]
      : [],
  );
const verdicts = ({ log }: FakePlatform): string[] =>
  log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body.code] : []));
const reviews = ({ log }: FakePlatform): string[] =>
  log.flatMap((entry) => (entry.kind === "review" && !entry.body.accept ? entry.body.codes : []));
const outcomes = ({ log }: FakePlatform): string[] =>
  log.flatMap((entry) => (entry.kind === "run_ended" ? [entry.body.outcome] : []));

describe("a message to whoever asked", () => {
  test("arrives where they wrote, and the same words a second time do not", async () => {
    const words = "Found three huts above the tree line.";
    const { platform, told } = messengerPlatform(
      steps(
        { calls: [tell(words)] },
        { calls: [tell(words)] },
        { text: "Three huts are above the tree line." },
      ),
    );
    platform.say("Look for huts", { origin: CHAT });
    await platform.settle();
    expect(told).toEqual([{ to: "telegram:4711", text: words }]);
    expect(fates(platform)).toEqual(["ok", "SEND_DUPLICATE"]);
    expect(outcomes(platform)).toEqual(["completed"]);
  });

  test("that failed is sent again with the same words", async () => {
    const words = "Found three huts above the tree line.";
    const { platform, told, faults } = messengerPlatform(
      steps(
        { calls: [tell(words)] },
        { calls: [tell(words)] },
        { text: "Three huts are above the tree line." },
      ),
    );
    faults.push(new ToolError("server", "unavailable", "Telegram is down.", { nothingDone: true }));
    platform.say("Look for huts", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["error", "ok"]);
    expect(told).toHaveLength(1);
  });

  test("is compared with what the run before it sent in these minutes, and not with what it remembers", async () => {
    const { platform, told } = messengerPlatform(({ step }) =>
      step.endsWith("s1") ? { calls: [tell("The path to the hut is closed.")] } : { text: "It is closed." },
    );
    platform.say("Is it open?", { origin: CHAT });
    await platform.settle();
    platform.say("And now?", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["ok", "SEND_DUPLICATE"]);
    platform.now += 301_000;
    platform.say("And now?", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["ok", "SEND_DUPLICATE", "ok"]);
    expect(told).toHaveLength(2);
  });

  test("with a placeholder is not sent; one in a code span is", async () => {
    const { platform, told } = messengerPlatform(
      steps(
        { calls: [tell("Hello {{name}}, the hut is open.")] },
        { calls: [tell("Write `{{name}}` where the name stands.")] },
        { text: "The template is explained." },
      ),
    );
    platform.say("Explain the template", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["PLACEHOLDER", "ok"]);
    expect(told.map(({ text }) => text)).toEqual(["Write `{{name}}` where the name stands."]);
  });

  test("is one a step, but for something after the word that work has begun", async () => {
    const { platform } = messengerPlatform(
      steps(
        {
          calls: [
            tell("I have begun.", { kind: "ack" }),
            tell("The first hut is open."),
            tell("So is the second."),
          ],
        },
        { text: "Two huts are open." },
      ),
    );
    platform.say("Which huts are open?", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["ok", "ok", "SEND_ONE_PER_STEP"]);
  });

  test("waits for something new, unless there is something new", async () => {
    const { platform } = messengerPlatform(
      steps(
        { calls: [tell("Two of five pages are looked through already.")] },
        { calls: [tell("Meanwhile the others follow soon enough.")] },
        { calls: [["look", { name: "a" }]] },
        { calls: [tell("Three of five pages are looked through already.")] },
        { text: "All pages are looked through." },
      ),
    );
    platform.say("Look through the pages", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["ok", "SEND_COOLDOWN", "ok"]);
  });

  test("that says nearly the same is not sent", async () => {
    const { platform } = messengerPlatform(
      steps(
        { calls: [tell("Please wait while the northern huts are counted carefully.")] },
        { calls: [tell("Please wait while the northern huts are counted again carefully.")] },
        { text: "There are nine." },
      ),
    );
    platform.say("Count the huts", { origin: CHAT });
    await platform.settle();
    expect(fates(platform)).toEqual(["ok", "SEND_SIMILAR"]);
  });

  test("whose outcome is lost with its isolate is unknown, and never sent again", async () => {
    const { platform, told } = messengerPlatform(
      steps(
        { calls: [tell("The hut is open.")] },
        { calls: [tell("The hut is open.")] },
        { text: "It is open." },
      ),
    );
    let dead = false;
    platform.cross = (where) => {
      if (dead || where !== "message: after") return;
      dead = true;
      throw new Crash();
    };
    platform.say("Is it open?", { origin: CHAT });
    await platform.settle().catch(() => {});
    platform.restart();
    platform.now += 600_000;
    await platform.settle();
    expect(fates(platform)).toEqual(["unknown", "SEND_DUPLICATE"]);
    expect(told).toHaveLength(1);
  });
});

describe("a message to somebody else", () => {
  const writes = steps(
    { calls: [tell("Come up to the hut.", { to: "friend" })] },
    { text: "I could not write to them." },
  );

  test("a person's yes stands before it, where an admin asked", async () => {
    const { platform, told } = messengerPlatform(writes);
    platform.say("Invite my friend", { origin: CHAT, role: "admin" });
    await platform.settle();
    expect(told).toEqual([]);
    platform.decide("approve");
    await platform.settle();
    expect(told).toEqual([{ to: "telegram:42", text: "Come up to the hut." }]);
  });

  test("is denied to a member, whom one polite answer tells so", async () => {
    const { platform, told } = messengerPlatform(
      steps(
        { calls: [tell("Come up.", { to: "friend" })] },
        { calls: [tell("Come up now.", { to: "friend" })] },
      ),
    );
    platform.say("Invite my friend", { origin: CHAT });
    await platform.settle();
    expect(told).toEqual([]);
    expect(fates(platform)).toEqual(["ADMIN_ONLY", "ADMIN_ONLY"]);
    expect(outcomes(platform)).toEqual(["denied"]);
  });

  test("is denied where nobody is called so: no address is made of words", async () => {
    const { platform, told } = messengerPlatform(
      steps({ calls: [tell("Hello.", { to: "telegram:99" })] }, { text: "I do not know where to write to." }),
    );
    platform.say("Write to telegram:99", { origin: CHAT, role: "admin" });
    await platform.settle();
    expect(told).toEqual([]);
    expect(fates(platform)).toEqual(["CHANNEL_DENY"]);
  });

  test("is denied where no person asked, and where no place came with the schedule so is one to the origin", async () => {
    const { platform, told } = messengerPlatform(
      steps(
        { calls: [tell("Hello.", { to: "friend" })] },
        { calls: [tell("Good morning.")] },
        { text: "Good morning." },
      ),
    );
    platform.say("Greet", { source: "schedule" });
    await platform.settle();
    expect(told).toEqual([]);
    expect(fates(platform)).toEqual(["AUTONOMY_DENY", "AUTONOMY_DENY"]);
  });
});

describe("an answer by messages alone", () => {
  const byTool = { origin: CHAT, spec: { ...PLAIN_SPEC, deliver: "tool" as const } };

  test("an answer that was never sent is asked for, and a message that was ends the run without more words", async () => {
    const { platform, told } = messengerPlatform(
      steps(
        { calls: [["look", { name: "a" }]] },
        { text: "The look at a shows that it is there." },
        { calls: [tell(REPORT, { kind: "final" })] },
        { text: "" },
      ),
    );
    platform.say("What is at a?", byTool);
    await platform.settle();
    expect(reviews(platform)).toContain("NO_SEND");
    // The message lists the changes so far, without the outcome of the run.
    expect(told).toEqual([{ to: "telegram:4711", text: `Nothing was changed.\n\n${REPORT}` }]);
    expect(outcomes(platform)).toEqual(["completed"]);
  });

  test("what was found after the last message is asked for", async () => {
    const { platform } = messengerPlatform(
      steps(
        { calls: [tell("I look at a and then at b.", { kind: "ack" })] },
        { calls: [["look", { name: "b" }]] },
        { text: "" },
        { calls: [tell("The look at b shows what it is: there.", { kind: "final" })] },
        { text: "" },
      ),
    );
    platform.say("What is at b?", byTool);
    await platform.settle();
    expect(reviews(platform)).toContain("UNSENT_RESULTS");
    expect(outcomes(platform)).toEqual(["completed"]);
  });

  test("that work has begun is no answer", async () => {
    const { platform } = messengerPlatform(
      steps(
        { calls: [tell("On it, working on it.", { kind: "ack" })] },
        { text: "" },
        { text: "" },
        { text: "" },
      ),
    );
    platform.say("Research the huts and report", byTool);
    await platform.settle();
    expect(reviews(platform)).toContain("ACK_ONLY");
    expect(outcomes(platform)).not.toContain("completed");
  });
});

describe("a person who hears nothing", () => {
  const looks = (count: number): Line[] =>
    Array.from({ length: count }, (_, at) => ({ calls: [["look", { name: `n${at}` }]] }));

  test("is to be told something after three steps and after five, until a message is out", async () => {
    const { platform } = messengerPlatform(
      steps(
        ...looks(5),
        { calls: [tell("Five of six are looked at, all as they should be.")] },
        ...looks(1),
        {
          text: REPORT,
        },
      ),
    );
    platform.say("Look at six things", { origin: CHAT });
    await platform.settle();
    expect(verdicts(platform).filter((code) => code.startsWith("NUDGE"))).toEqual([
      "NUDGE_SOFT",
      "NUDGE_HARD",
    ]);
    expect(fates(platform)).toEqual(["ok"]);
  });

  test("is not to be told anything before the answer itself, which is forced then", async () => {
    const { platform } = messengerPlatform(({ tools, step }): Line =>
      tools.length === 0 ? { text: REPORT } : { calls: [["look", { name: step }]] },
    );
    platform.say("Look at six things", { origin: CHAT, limits: { steps: 5 } });
    await platform.settle();
    expect(verdicts(platform)).toContain("BUDGET_STEPS");
    expect(verdicts(platform).filter((code) => code.startsWith("NUDGE"))).toEqual(["NUDGE_SOFT"]);
  });

  test("is left alone where nothing can be sent", async () => {
    const { platform } = messengerPlatform(steps(...looks(6)));
    platform.own = null;
    platform.restart();
    platform.say("Look at six things", { origin: CHAT });
    await platform.settle();
    expect(verdicts(platform).filter((code) => code.startsWith("NUDGE"))).toEqual([]);
  });
});
