import { expect, test } from "vitest";
import { cardMessage, channelText, endedCard, linkedCard } from "../../../src/session/channels/cards.ts";
import type { ApprovalView } from "../../../src/wire/approval.ts";
import { FakePlatform } from "../../sim/platform/platform.ts";

async function waiting(): Promise<ApprovalView> {
  const platform = new FakePlatform([{ calls: [["publish", { name: "a" }]] }]);
  platform.say("Publish it");
  await platform.settle();
  const phase = platform.state.run?.phase;
  if (phase?.at !== "waiting_approval") throw new Error("nothing waits");
  const view = platform.outbox.approval(phase.approval.approval, platform.state);
  if (view === null) throw new Error("there is an approval");
  return view;
}

test("a card shows once what warns, and then what else the call would do", async () => {
  const view = await waiting();
  const warnings = ["No link leads to this page."];
  const { text } = linkedCard({ ...view, warnings, impact: ["URL: /a", ...warnings] }, null);
  expect(text.split("\n").filter((line) => /^(⚠|-) /.test(line))).toEqual([
    "⚠ No link leads to this page.",
    "- URL: /a",
  ]);
});

test("a card approves only where it is whole, whatever tokens it is given", async () => {
  const view = await waiting();
  const labels = (fits: boolean): string[] =>
    (
      cardMessage(channelText(view, { fits: () => fits }), { approve: "yes", deny: "no" }, null).buttons ?? []
    ).map(({ label }) => label);
  expect(labels(true)).toEqual(["Approve", "Deny"]);
  expect(labels(false)).toEqual(["Deny"]);
});

test("a card shows words of the model and of people as text, and never as Markdown or hidden signs", async () => {
  const view = {
    ...(await waiting()),
    title: "Publish *a*\u202e",
    state: "approved" as const,
    result: { decision: "approve", args: {}, digest: "sha256:a", by: "*root*", reason: null },
  };
  expect(linkedCard(view, null).text).not.toMatch(/(?<!\\)\*a(?<!\\)\*/);
  const { text } = endedCard(view);
  expect(text).toContain("**Approved by \\*root\\***");
  expect(text).not.toContain("\u202e");
});
