import { expect, test } from "vitest";
import { decisionLines, decisionText } from "../../../../src/cairn/core/text/decision-text.ts";
import {
  cardMessage,
  channelText,
  endedCard,
  linkedCard,
} from "../../../../src/plugins/channels/session/cards.ts";
import type { ApprovalView } from "../../../../src/cairn/protocol/approval.ts";
import { FakePlatform } from "../../../sim/platform/platform.ts";

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

test("a message that only links to a decision has all of its text up to 20,000 characters", async () => {
  const view = await waiting();
  /** Approval whose text has this many characters in all. */
  const long = (length: number): ApprovalView => {
    const of = (name: string): ApprovalView => ({ ...view, args: { name } });
    const text = (name: string): number => decisionLines(decisionText(of(name))).join("\n").length;
    // Long enough to be laid out as every long text is.
    const least = "x".repeat(1_000);
    const made = of(least + "x".repeat(length - text(least)));
    expect(decisionLines(decisionText(made)).join("\n")).toHaveLength(length);
    return made;
  };
  const isCut = (length: number): boolean =>
    linkedCard(long(length), "https://cairn.example").text.includes("This is not everything");
  expect([isCut(20_000), isCut(20_001)]).toEqual([false, true]);
  expect(linkedCard(long(20_000), null).text).toContain("x".repeat(15_000));
});
