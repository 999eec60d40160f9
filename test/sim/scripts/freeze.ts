import { ToolError } from "../../../src/cairn/tools/define.ts";
import type { Line } from "../platform/fake-model.ts";
import { FakePlatform } from "../platform/platform.ts";
import { writeFrozen } from "./write-frozen.ts";

/**
 * Writes what today's code stores of a session that waits for a person, as an example for every later version:
 * `npx node test/sim/scripts/freeze.ts v2-waiting`, once for each schema and before anything of it has changed.
 *
 * The first run has stored a fact and was joined by more words; the second was retried, looked at the same thing again and
 * again until it was given a hint, was refused a call that had failed, and asks for two equal effects; a third is queued.
 */
const BUSY = { class: "overloaded", message: "busy", retryAfterMs: null, usage: null } as const;
const look = (name: string): [string, { name: string }] => ["look", { name }];
const remember: [string, { key: string; value: string }] = [
  "store_memory",
  { key: "tone", value: "friendly" },
];

const FIRST: readonly Line[] = [
  { text: "Noted.", calls: [remember, look("about")] },
  { text: "The about page is there, and the tone is friendly." },
];
const SECOND: readonly Line[] = [
  { text: "I look.", calls: [look("about"), look("team")] },
  { calls: [look("about")] },
  { calls: [look("about"), ["put", { name: "note" }]] },
  { calls: [look("gone"), ["store_memory", { key: "page", value: "team" }]] },
  { calls: [look("gone")] },
  {
    thought: "Now.",
    text: "Now it goes out.",
    calls: [
      ["publish", { name: "team" }],
      ["publish", { name: "team" }],
    ],
  },
];

let failed = false;
const platform = new FakePlatform(({ step }) => {
  const [, run, n] = /^r(\d+)s(\d+)$/.exec(step) ?? [];
  if (step === "r2s1" && !failed) {
    failed = true;
    return { fail: BUSY };
  }
  return (run === "1" ? FIRST : SECOND)[Number(n) - 1] ?? { text: "Nothing more." };
});
platform.effects.onTool = (tool) => {
  if (tool === "look" && platform.state.run?.step === 4)
    throw new ToolError("not_found", "none", "There is none.");
};
platform.onModel = ({ step }) => {
  if (step === "r1s1") platform.say("And the team page too", { mode: "join" });
};
platform.say("Remember the tone, and look at the about page");
await platform.settle();
platform.say("Publish the team page");
await platform.settle();
platform.say("And then tell me what is there");
writeFrozen(process.argv[2], platform);
