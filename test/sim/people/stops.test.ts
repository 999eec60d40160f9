import { describe, expect, test } from "vitest";
import { receiveCancel, receiveContinue } from "../../../src/cairn/core/loop/receive.ts";
import type { Model } from "../../../src/cairn/core/log/model.ts";
import { ToolError } from "../../../src/cairn/tools/define.ts";
import { FakePlatform, type Line } from "../platform/platform.ts";

/** A stop of a person reaches whatever is at work, and nothing is begun, asked or tried again after it. */

const BEGUN = ["user_message", "run_queued", "run_started", "step_started", "model_replied"];

const settled = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "call_settled" ? [[entry.body.call, entry.body.status, entry.body.failure?.code]] : [],
  );
const ended = (platform: FakePlatform): unknown =>
  platform.log.flatMap((entry) =>
    entry.kind === "run_ended" ? [[entry.run, entry.body.outcome, entry.body.reason]] : [],
  );

/** Nothing comes of it but a word that its signal has fired. */
const hang = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/** A tool that never ends by itself; the stop comes when it has begun. */
function stoppedIn(tool: string, line: Line): FakePlatform {
  const platform = new FakePlatform([line, { text: "Never said." }]);
  platform.effects.onTool = (begun) => {
    if (begun !== tool) return;
    platform.cancel("enough");
    return new Promise<void>(() => undefined);
  };
  platform.say("go");
  return platform;
}

describe("a stop", () => {
  test("reaches the model that is at work, which says no more", async () => {
    const platform = new FakePlatform({
      call: async (request, draft, signal) => {
        draft({ type: "text", part: 0, text: "I was about" });
        const gone = hang(signal);
        platform.cancel("enough");
        await gone;
        const usage = { inputTokens: 9, cachedInputTokens: 0, outputTokens: 2, reasoningTokens: 0 };
        return {
          kind: "aborted",
          partial: {
            parts: [
              { type: "text", text: "I was about" },
              { type: "call", tool: "send", input: { name: "a" } },
            ],
            finish: "aborted",
            usage: { ...usage, estimated: true },
            model: request.model,
            ms: 1,
            firstTokenMs: null,
          },
        };
      },
    } satisfies Model);
    platform.say("go");
    await platform.settle();
    expect(platform.kinds).toEqual([
      ...BEGUN.slice(0, -1),
      "command_queued",
      "model_replied",
      "answer",
      "run_ended",
    ]);
    const replied = platform.log.find((entry) => entry.kind === "model_replied");
    expect(replied?.body).toMatchObject({
      finish: "aborted",
      calls: [],
      parts: [{ type: "text", text: "I was about" }],
    });
    expect(ended(platform)).toEqual([["r1", "cancelled", "enough"]]);
    expect(platform.effects.once).toEqual([]);
  });

  test.each([
    ["look", "cancelled", "cancelled"],
    ["put", "unknown", "unknown_outcome"],
    ["send", "unknown", "unknown_outcome"],
  ])("reaches %s that is at work, and its result is %s", async (tool, status, code) => {
    const platform = stoppedIn(tool, { calls: [[tool, { name: "a" }]] });
    await platform.settle();
    expect(platform.kinds).toEqual([
      ...BEGUN,
      "call_intended",
      "command_queued",
      "call_settled",
      "answer",
      "run_ended",
    ]);
    expect(settled(platform)).toEqual([["r1s1c0", status, code]]);
    expect(ended(platform)).toEqual([["r1", "cancelled", "enough"]]);
  });

  test("reaches what is being found out for an approval, and nobody is asked", async () => {
    const platform = stoppedIn("publish: preview", { calls: [["publish", { name: "a" }]] });
    await platform.settle();
    expect(platform.kinds).toEqual([...BEGUN, "command_queued", "call_settled", "answer", "run_ended"]);
    expect(settled(platform)).toEqual([["r1s1c0", "cancelled", "cancelled"]]);
  });

  test("beside what an approval would show leaves nothing to decide", async () => {
    const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }]);
    platform.effects.onTool = () => void platform.cancel("enough");
    platform.say("go");
    await platform.settle();
    expect(platform.kinds).toEqual([...BEGUN, "command_queued", "call_settled", "answer", "run_ended"]);
    expect(settled(platform)).toEqual([["r1s1c0", "cancelled", "cancelled"]]);
  });

  test("beside a failure that would pass has it told, and not tried again", async () => {
    const reads: Line = {
      calls: [
        ["look", { name: "a" }],
        ["bulk", { name: "b" }],
      ],
    };
    const platform = stoppedIn("bulk", reads);
    platform.effects.failures.set("look", [new ToolError("rate_limit", "slow_down", "try later")]);
    const stop = platform.effects.onTool;
    platform.effects.onTool = async (tool) => {
      // The other one has failed by then.
      if (tool === "bulk") await new Promise((resolve) => setImmediate(resolve));
      return stop?.(tool);
    };
    await platform.settle();
    expect(platform.kinds).toEqual([
      ...BEGUN,
      "call_intended",
      "call_intended",
      "command_queued",
      "call_settled",
      "call_settled",
      "answer",
      "run_ended",
    ]);
    expect(settled(platform)).toEqual([
      ["r1s1c0", "error", "slow_down"],
      ["r1s1c1", "cancelled", "cancelled"],
    ]);
  });

  test("of everything ends what waits in the queue as well, each with a word", async () => {
    const platform = new FakePlatform([{ text: "Never said." }]);
    platform.onModel = () => {
      platform.say("second");
      platform.say("third");
      expect(platform.cancel("enough")).toEqual(["r1", "r2", "r3"]);
    };
    platform.say("first");
    await platform.settle();
    const queued = ["command_queued", "answer", "run_ended"];
    expect(platform.kinds.slice(8)).toEqual([
      "command_queued",
      ...queued,
      ...queued,
      "model_replied",
      "answer",
      "run_ended",
    ]);
    expect(ended(platform)).toEqual([
      ["r2", "cancelled", "enough"],
      ["r3", "cancelled", "enough"],
      ["r1", "cancelled", "enough"],
    ]);
    expect(platform.requests).toHaveLength(1);
    expect([platform.state.queue, platform.state.run, platform.disk.alarm]).toEqual([[], null, null]);
  });

  test("of one that waits leaves the live run and the others", async () => {
    const platform = new FakePlatform([{ text: "One." }, { text: "Three." }]);
    platform.onModel = () => {
      platform.onModel = null;
      platform.say("second");
      platform.say("third");
      platform.engine.record((tx) => {
        const stop = { id: "c", actor: "ada", run: "r2", all: false, reason: null };
        const { entries, cancelled } = receiveCancel(tx.state, stop);
        expect(cancelled).toEqual(["r2"]);
        tx.append(entries);
      });
    };
    platform.say("first");
    await platform.settle();
    expect(ended(platform)).toEqual([
      ["r2", "cancelled", "cancelled"],
      ["r1", "completed", null],
      ["r3", "completed", null],
    ]);
  });

  describe("that holds the queue", () => {
    const held = async (): Promise<FakePlatform> => {
      const platform = new FakePlatform([{ text: "Never said." }, { text: "Two." }, { text: "Three." }]);
      platform.onModel = () => {
        platform.onModel = null;
        platform.say("second");
        const stop = { id: "c", actor: "ada", run: null, all: false, hold: true, reason: null };
        platform.engine.record((tx) => tx.append(receiveCancel(tx.state, stop).entries));
      };
      platform.say("first");
      await platform.settle();
      return platform;
    };

    test("leaves what waits until somebody lets it go on, over a restart too", async () => {
      const platform = await held();
      expect([platform.state.held, platform.state.queue.length, platform.disk.alarm]).toEqual([
        true,
        1,
        null,
      ]);
      platform.restart();
      await platform.settle();
      expect(ended(platform)).toEqual([["r1", "cancelled", "cancelled"]]);
      platform.engine.record((tx) => tx.append(receiveContinue(tx.state, "ada")));
      await platform.settle();
      expect(ended(platform)).toEqual([
        ["r1", "cancelled", "cancelled"],
        ["r2", "completed", null],
      ]);
      expect(platform.engine.record((tx) => receiveContinue(tx.state, "ada"))).toEqual([]);
    });

    test("ends with the next message of a person, and with no other", async () => {
      const platform = await held();
      platform.say("by itself", { source: "schedule" });
      await platform.settle();
      expect([platform.state.held, platform.state.queue.length]).toEqual([true, 2]);
      platform.say("third");
      await platform.settle();
      expect(ended(platform)).toHaveLength(4);
      expect([platform.state.held, platform.state.queue.length]).toEqual([false, 0]);
    });

    test("holds nothing where nothing waits, nor once what waited was taken back", async () => {
      const platform = await held();
      const stop = { id: "d", actor: "ada", run: "r2", all: false, hold: true, reason: null };
      platform.engine.record((tx) => tx.append(receiveCancel(tx.state, stop).entries));
      expect(platform.state.held).toBe(false);
      expect(platform.engine.record((tx) => receiveCancel(tx.state, stop).entries)).toEqual([]);
    });
  });

  test("that comes twice is the first one", async () => {
    const platform = new FakePlatform([{ text: "Never said." }]);
    platform.onModel = () => {
      expect([platform.cancel("first"), platform.cancel("second")]).toEqual([["r1"], []]);
    };
    platform.say("go");
    await platform.settle();
    expect(platform.kinds.filter((kind) => kind === "command_queued")).toHaveLength(1);
    expect(ended(platform)).toEqual([["r1", "cancelled", "first"]]);
  });

  describe("at whatever moment it comes", () => {
    const MOMENTS = 40;
    /** Stops the run so many turns of the machine after the effect has begun. */
    const stopAfter = (platform: FakePlatform, turns: number): void => {
      let turn = Promise.resolve();
      for (let at = 0; at < turns; at++) turn = turn.then(() => undefined);
      void turn.then(() => platform.cancel("enough"));
    };
    /** The kinds of entries that stand in the log after the stop, over all moments; "late" where it found nothing to stop. */
    async function afterStop(line: Line, begun: string, failure?: ToolError): Promise<string[]> {
      const seen = new Set<string>();
      for (let turns = 0; turns < MOMENTS; turns++) {
        const platform = new FakePlatform([line, { text: "Never said." }]);
        if (failure !== undefined) platform.effects.failures.set("put", [failure, failure, failure]);
        platform.effects.onTool = async (tool) => {
          if (tool === begun) stopAfter(platform, turns);
        };
        platform.onModel = ({ step }) => {
          if (begun === step) stopAfter(platform, turns);
        };
        platform.say("go");
        await platform.settle();
        await new Promise((resolve) => setImmediate(resolve));
        await platform.settle();
        const stop = platform.kinds.indexOf("command_queued");
        for (const kind of stop < 0 ? ["late"] : platform.kinds.slice(stop + 1)) seen.add(kind);
      }
      return [...seen].toSorted();
    }

    test("nobody is asked after it", async () => {
      const publish: Line = { calls: [["publish", { name: "a" }]] };
      expect(await afterStop(publish, "publish: preview")).toEqual([
        "answer",
        "approval_cancelled",
        "call_settled",
        "run_ended",
      ]);
    });

    test("no call and no step begins after it", async () => {
      const send: Line = { text: "I send it.", calls: [["send", { name: "a" }]] };
      expect(await afterStop(send, "r1s1")).toEqual([
        "answer",
        "call_settled",
        "late",
        "model_replied",
        "run_ended",
      ]);
    });

    test("nothing is put off after it", async () => {
      const put: Line = { calls: [["put", { name: "a" }]] };
      expect(await afterStop(put, "put", new ToolError("rate_limit", "slow_down", "later"))).toEqual([
        "answer",
        "call_settled",
        "run_ended",
      ]);
    });
  });
});
