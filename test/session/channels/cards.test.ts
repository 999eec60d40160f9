import { expect, test } from "vitest";
import { linkedCard } from "../../../src/session/channels/cards.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

test("a card shows once what warns, and then what else the call would do", async () => {
  const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }]);
  platform.say("Publish it");
  await platform.settle();
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  const view = platform.outbox.approval(phase.approval.approval, platform.state);
  if (view === null) throw new Error("there is an approval");
  const warnings = ["No link leads to this page."];
  const { text } = linkedCard({ ...view, warnings, impact: ["URL: /a", ...warnings] }, null);
  expect(text.split("\n").filter((line) => /^(⚠|-) /.test(line))).toEqual([
    "⚠ No link leads to this page.",
    "- URL: /a",
  ]);
});
