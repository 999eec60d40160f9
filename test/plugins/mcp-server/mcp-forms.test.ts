import { expect, test } from "vitest";
import { inputRequestsOf } from "../../../src/plugins/mcp-server/inputs.ts";
import type { RunState, WaitingFor } from "../../../src/plugins/mcp-server/run-state.ts";
import { taskDetailOf, textResult } from "../../../src/plugins/mcp-server/tasks.ts";

/** The words by which a person at an assistant decides: nothing in them hides or turns around. */

const HIDDEN = "Pay\u202e\u200b Bob";
const SHOWN = "Pay\\u202e\\u200b Bob";
const expiresAt = "2026-01-02T00:00:00.000Z";

const stateOf = (waitingFor: WaitingFor): RunState => ({
  runId: "ses_a.r1",
  sessionId: "ses_a",
  status: "input_required",
  answer: null,
  partial: false,
  receipt: null,
  reason: null,
  progress: null,
  waitingFor,
  steps: 1,
  createdAt: expiresAt,
  updatedAt: expiresAt,
});
const approval = stateOf({
  kind: "approval",
  runId: "ses_a.r1",
  approvalId: "r1s1c0a1",
  digest: "sha256:0",
  tool: "send_message",
  title: HIDDEN,
  summary: HIDDEN,
  impact: [HIDDEN],
  args: { text: HIDDEN },
  tainted: false,
  expiresAt,
  text: [HIDDEN, HIDDEN, HIDDEN, HIDDEN].join("\n"),
  complete: true,
  lookAt: null,
});
const question = stateOf({
  kind: "question",
  runId: "ses_a.r1",
  questionId: "r1s1c0q1",
  question: HIDDEN,
  context: HIDDEN,
  options: [],
  expiresAt,
});

test.each([
  ["an approval", approval, 4],
  ["a question", question, 2],
] as const)("the form of %s shows what is not seen", (_, state, times) => {
  const [form] = Object.values(inputRequestsOf(state));
  expect(form?.params.message).not.toContain("\u202e");
  expect(form?.params.message.split(SHOWN)).toHaveLength(times + 1);
  expect(taskDetailOf(state).statusMessage).toContain(SHOWN);
});

test("the data of a run as text shows it too, and reads as the same data", () => {
  const { content, structuredContent } = textResult(approval);
  const text = content[0]?.text ?? "";
  expect(text).not.toContain("\u202e");
  expect(JSON.parse(text)).toEqual(structuredContent);
});

test("the form of an approval that is not shown whole has no approve, and says where all of it is", () => {
  const { waitingFor } = approval;
  if (waitingFor?.kind !== "approval") throw new Error("it waits for an approval");
  const lookAt = "https://cairn.example/#/approvals";
  const [form] = Object.values(inputRequestsOf(stateOf({ ...waitingFor, complete: false, lookAt })));
  expect(form?.params.requestedSchema.properties["decision"]?.enum).toEqual(["deny"]);
  expect(form?.params.message).toContain(`Look and decide: ${lookAt}`);
});
