import { fold } from "../../../src/cairn/core/state/apply.ts";
import { EMPTY_STATE } from "../../../src/cairn/core/state/state.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import * as z from "zod";
import { definePack, defineTool, ToolError } from "../../../src/cairn/tools/define.ts";
import { Crash } from "../../../src/cairn/testing/disk.ts";
import { REPORT } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";
import {
  ADA,
  ask,
  broken,
  calls,
  exactly,
  fails,
  look,
  PATIENCE_MS,
  put,
  run,
  says,
  saysBy,
  stepOf,
  steps,
  withMore,
  type Scenarios,
} from "./scenario.ts";

const busy = (): ToolError => new ToolError("server", "busy", "It is busy.", { nothingDone: true });
const FALLBACK = { model: "a:", fallbacks: ["b:"] };

/** A tool that rests between two calls. */
const slow = definePack({
  name: "slow",
  prompts: [],
  services: () => ({}),
  tools: [
    defineTool({
      name: "slow",
      version: 1,
      title: "Ask slowly",
      description: "Reads, and rests.",
      input: z.strictObject({ name: z.string() }),
      effect: "read",
      tier: "open",
      cooldownMs: 60_000,
      run: ({ name }) => Promise.resolve({ name }),
    }),
  ],
});

/** The platform, and whatever the given tool does kills it each time. */
function dying(platform: FakePlatform, where: string): FakePlatform {
  platform.cross = (here) => {
    if (here === where) throw new Crash();
  };
  return platform;
}

/** Lets it die and stand up again until it is given up. */
async function livesOf(platform: FakePlatform, lives: number): Promise<FakePlatform> {
  for (let life = 0; life < lives && platform.state.ended.length === 0; life++) {
    await platform.settle(PATIENCE_MS).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    platform.restart();
  }
  platform.cross = () => {};
  await platform.settle(PATIENCE_MS);
  return platform;
}

const asked = (platform: FakePlatform): Promise<FakePlatform> => {
  platform.service.admitOrCreate(ADA);
  return run(platform);
};

async function answer(platform: FakePlatform, value: string): Promise<void> {
  await platform.api.answer(ADA, { runId: null, question: null, value });
  await platform.settle(PATIENCE_MS);
}

/** Scenarios of calls that may or may not run now. */
export const CALLS: Scenarios = {
  NOT_GRANTED: async () => {
    // A version of the code that wrote down less has left a call whose tool nobody knows any more.
    const before = exactly(calls(["publish", { name: "a" }]));
    await run(before);
    const log = before.log.map((entry): Entry => {
      if (entry.kind !== "model_replied") return entry;
      const bare = entry.body.calls.map(({ access: _access, ...call }) => call);
      return { ...entry, body: { ...entry.body, calls: bare } };
    });
    const platform = says();
    platform.inherit(log, fold(EMPTY_STATE, log));
    platform.decide("approve");
    await platform.settle(PATIENCE_MS);
    return platform;
  },
  ADMIN_ONLY: () => run(exactly(calls(["reset", { name: "a" }]), { text: "Only an admin may do that." })),
  DENIED_AGAIN: () => run(says(calls(["reset", { name: "a" }]), calls(["drop", { name: "a" }]))),
  POLICY_DENY: () => run(exactly(calls(put("a")), { text: "That is not permitted." }), { role: "guest" }),
  AUTONOMY_DENY: () => run(exactly(calls(put("a")), { text: "It was left alone." }), { source: "schedule" }),
  NEEDS_APPROVAL: async () => {
    const platform = says(
      calls(["visit", { name: "a" }], look("b")),
      calls(["fetch_out", { url: "https://a.example/" }]),
    );
    return run(platform, { imported: true });
  },
  ALREADY_DONE: () => run(exactly(calls(put("a")), calls(put("a")), { text: "It is there." })),
  REUSED_RESULT: () => run(exactly(calls(look("a")), calls(look("a")), { text: REPORT })),
  SIG_BANNED: () => {
    const platform = exactly(calls(look("gone")), calls(look("gone")), { text: "There is no such page." });
    platform.effects.broken.set("look", broken("not_found"));
    return run(platform);
  },
  TOOL_BANNED: () => {
    const platform = exactly(calls(look("a")), calls(look("b")), { text: "I was refused, so it failed." });
    platform.effects.broken.set("look", broken("auth"));
    return run(platform);
  },
  TOOL_COOLDOWN: () =>
    run(
      withMore(exactly(calls(["slow", { name: "a" }]), calls(["slow", { name: "b" }]), { text: REPORT }), {
        own: (tools) => void tools.add(slow, {}),
      }),
    ),
  TOOL_CAP: async () => {
    const questions = ["Which colour?", "How many pages are there?", "Who reads it?", "When is it due?"];
    const platform = says(...questions.map((question) => calls(ask(question))));
    await asked(platform);
    for (let n = 0; n < 3; n++) await answer(platform, `Answer ${n}.`);
    return platform;
  },
  TOOL_OVERUSE: () =>
    run(
      saysBy((step) => (step <= 5 ? calls(["bulk", { name: "abcde"[step - 1] ?? "" }]) : { text: REPORT })),
      steps(30),
    ),
  POLL_TOO_SOON: () =>
    run(exactly(calls(["job", { name: "a" }]), calls(["job", { name: "a" }]), { text: REPORT })),
  CIRCUIT_OPEN: () => {
    const platform = saysBy((step) =>
      step <= 4 ? calls(look(`p${step}`)) : { text: "The look-ups failed." },
    );
    platform.effects.broken.set("look", busy());
    return run(platform);
  },
  CLARIFY_REPEAT: async () => {
    const platform = says(
      calls(ask("Which colour should the hero have?")),
      calls(ask("Which colour should the hero get?")),
    );
    await asked(platform);
    await answer(platform, "green");
    return platform;
  },
  PLACEHOLDER_NOTE: () => run(exactly(calls(put("Hello {{name}}")), { text: "It was put as it is." })),
  RETRY_LATER: () => {
    const platform = exactly(calls(look("a")), { text: REPORT });
    platform.effects.failures.set("look", [busy()]);
    return run(platform);
  },
  RATE_HINT: () => {
    const platform = exactly(calls(look("a")), { text: "It wants to be left alone, so the look-up failed." });
    platform.effects.failures.set("look", [
      new ToolError("rate_limit", "slow_down", "Later.", { retryAfterMs: 1_800_000, nothingDone: true }),
    ]);
    return run(platform);
  },
  batch_stopped: () => {
    const platform = exactly(calls(put("a"), ["send", { name: "b" }]), {
      text: "The first failed, the second was not tried.",
    });
    platform.effects.failures.set("put", [broken("conflict")]);
    return run(platform);
  },
  MODEL_DOWN: async () => {
    const platform: FakePlatform = new FakePlatform(({ model }) =>
      model === "a:" ? fails("overloaded") : { text: "From the other." },
    );
    await run(platform, FALLBACK);
    return run(platform, FALLBACK);
  },
  MODEL_PROBE: () => {
    const platform: FakePlatform = new FakePlatform((request) => {
      if (request.model === "a:" && platform.requests.length < 3) return fails("overloaded");
      return stepOf(request) <= 3 ? calls(look(`p${stepOf(request)}`)) : { text: REPORT };
    });
    platform.effects.onTool = () => void (platform.now += 6 * 60_000);
    return run(platform, FALLBACK);
  },
  RECOVERY_EXHAUSTED: () => {
    const platform = dying(exactly({ text: REPORT }), "model: after");
    platform.service.admitOrCreate(ADA);
    platform.say("go");
    return livesOf(platform, 12);
  },
};
