import { NO_WORDS } from "../../../../src/cairn/core/guards/no-words.ts";
import { expect, test } from "vitest";
import { grantFailure, unknownTool } from "../../../../src/cairn/core/entries/grant.ts";
import type { Entry } from "../../../../src/cairn/core/log/entry.ts";
import { NO_USAGE, type ModelReply, type RawCall } from "../../../../src/cairn/core/log/model.ts";
import type { Check } from "../../../../src/cairn/core/loop/answer.ts";
import { judgeReply } from "../../../../src/cairn/core/loop/judge-reply.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";
import { fuzzedReply } from "./fuzz.ts";
import { hear } from "./read-reply.ts";

const REPLIES = 100_000;
const SPLIT_EVERY = 10;

test(
  "of 100,000 garbled replies none throws, and each is the same however it is split",
  { timeout: 60_000 },
  () => {
    let calls = 0;
    const different: number[] = [];
    for (let seed = 1; seed <= REPLIES; seed += 1) {
      const { dialect, pieces } = fuzzedReply(seed);
      const heard = hear(dialect, pieces);
      calls += heard.read.calls.length;
      if (seed % SPLIT_EVERY !== 0) continue;
      const whole = hear(dialect, [pieces.join("")]);
      if (JSON.stringify(whole) !== JSON.stringify(heard)) different.push(seed);
    }
    expect(different).toEqual([]);
    // Without calls, this would not test calls.
    expect(calls).toBeGreaterThan(REPLIES / 10);
  },
);

test("of 10,000 garbled replies no call outside the grant may run", async () => {
  const platform = new FakePlatform([{ text: "Done." }]);
  const open: { state: Parameters<typeof judgeReply>[0]; entries: readonly Entry[] }[] = [];
  platform.onModel = () => void open.push({ state: platform.engine.log.state(), entries: [...platform.log] });
  platform.say("Look at the pages.");
  await platform.settle();
  const [at] = open;
  if (at === undefined) throw new Error("no model was asked");
  const { state, entries } = at;
  const started = entries.find((entry) => entry.kind === "run_started");
  // Half of what the reader is offered, so that names of the deployment are refused as well.
  const grant = new Map(
    started?.body.grant
      .filter(({ tool }, index) => index % 2 === 0 || tool === "look")
      .map((tool) => [tool.tool, tool]),
  );
  const { tools } = platform.engine;
  const check: Check = (call: RawCall) => {
    const checked = tools.check(call.tool, call.input, call.malformed);
    if (checked.card === null)
      return { ok: false, card: null, failure: unknownTool(call.tool, [...grant.keys()]) };
    const failure = grantFailure(grant, call.tool, checked.card);
    return failure === null ? checked : { ok: false, card: checked.card, failure };
  };
  const names = [...tools.offers()].map(({ name }) => name);
  let runnable = 0;
  let refused = 0;
  for (let seed = 1; seed <= 10_000; seed += 1) {
    const { dialect, pieces } = fuzzedReply(seed);
    const tool = seed % 2 === 0 ? "look" : (names[seed % names.length] ?? "");
    const said = pieces
      .join("")
      .replaceAll(/web_search|page_get/gu, tool)
      .replaceAll("query", "name");
    const { read, parts } = hear(dialect, [said], tools.offers());
    const calls = [...read.calls];
    const kept = parts.flatMap((part): ModelReply["parts"] => {
      if (part.type !== "call") return [{ type: part.type, text: part.text }];
      const call = calls.shift();
      return call === undefined ? [] : [{ type: "call", ...call }];
    });
    const parse = { dialect, repairs: read.repairs, faults: read.faults };
    const reply = {
      parts: kept,
      parse,
      finish: "stop",
      usage: NO_USAGE,
      model: "m",
      ms: 1,
      firstTokenMs: 1,
    } as const;
    const [replied] = judgeReply(state, reply, state.head, state.at, entries, {
      check,
      cite: () => null,
      words: NO_WORDS,
    });
    const proposed = replied?.kind === "model_replied" ? replied.body.calls : [];
    for (const call of proposed) {
      if (call.refused !== null) refused += 1;
      else if (grant.has(call.tool)) runnable += 1;
      else throw new Error(`seed ${seed}: ${call.tool} may run`);
    }
  }
  expect(runnable).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(1_000);
});
