import type { JSONValue } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { readConversation } from "../../../src/cairn/models/script/conversation.ts";
import { understoodBy } from "../../../src/plugins/rehearsal/answer-words.ts";
import { ownToolsIn, parseOwnCall } from "../../../src/plugins/rehearsal/own-tools.ts";
import { replyTo } from "../../../src/plugins/rehearsal/reply.ts";

/** A project without a site: the rules call its own tools. */

const tool = (name: string, inputSchema: Record<string, unknown>) => ({
  type: "function" as const,
  name,
  inputSchema: { type: "object" as const, ...inputSchema },
});
const address = { properties: { address: { type: "string" } }, required: ["address"] };
const TOOLS = [
  tool("print_label", address),
  tool("create_ticket", {
    properties: { title: { type: "string" }, urgent: { type: "boolean" } },
    required: ["title", "urgent"],
  }),
  tool("complete", { properties: { answer: { type: "string" } }, required: ["answer"] }),
  tool("schedule_task", { properties: { text: { type: "string" } }, required: ["text"] }),
];
const say = (text: string) =>
  replyTo(readConversation({ prompt: [{ role: "user", content: [{ type: "text", text }] }], tools: TOOLS }));

test("the tools of a project are those that no plugin of Cairn brings", () => {
  expect(ownToolsIn(TOOLS)).toEqual([
    { name: "print_label", field: "address" },
    { name: "create_ticket", field: null },
  ]);
});

test.each([
  ["Print a label for Ada, Hill Road 1.", "Ada, Hill Road 1"],
  ["please print label: Ada", "Ada"],
  ["Print the label for Ada\nHill Road 1", "Ada\nHill Road 1"],
])("%j calls the tool that it names", (text, value) => {
  expect(say(text).calls).toEqual([["print_label", { address: value }]]);
});

test.each(["Print a label", "Do not print a label for Ada", "Create a ticket about the lamp", "Label: Ada"])(
  "%j calls nothing, and the answer says which tools there are",
  (text) => {
    const { calls, text: answer = "" } = say(text);
    expect(calls).toBeUndefined();
    expect(answer).toContain('- "Print label: …", which is its address');
    expect(answer).toContain("- `/call create_ticket {…}`\n\nFor everything else");
    expect(answer).not.toContain("website");
    expect(understoodBy(answer)).toBe("nothing");
  },
);

test("a long message names no tool, without being matched", () => {
  expect(parseOwnCall(ownToolsIn(TOOLS) ?? [], `print a label for ${"x ".repeat(50_000)}`)).toBeNull();
  expect(say(`print ${"a ".repeat(500)}`).calls).toBeUndefined();
});

const answerTo = (value: JSONValue): string => {
  const call = { toolCallId: "c", toolName: "print_label" };
  const { calls, text = "" } = replyTo(
    readConversation({
      prompt: [
        { role: "user", content: [{ type: "text", text: "Print a label for Ada." }] },
        { role: "assistant", content: [{ type: "tool-call", ...call, input: { address: "Ada" } }] },
        { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "json", value } }] },
      ],
      tools: TOOLS,
    }),
  );
  expect(calls).toBeUndefined();
  return text.split("\n", 1)[0] ?? "";
};

test("the answer reports the result of the tool", () => {
  expect(answerTo({ ok: true })).toBe("Done: print_label.");
  const failed = { code: "printer_failed", message: "The printer answered 500.", hint: "Look at it." };
  expect(answerTo({ ok: false, error: failed })).toBe(
    "I did not do print_label: it failed (The printer answered 500. Look at it).",
  );
});

test("a denied call is reported without the hint for the model", () => {
  const denied = { code: "denied", message: "ada declined: She comes by.", hint: "Do not try it again." };
  expect(answerTo({ ok: false, error: denied })).toBe(
    "I did not do print_label: it was not approved (ada declined: She comes by).",
  );
});
