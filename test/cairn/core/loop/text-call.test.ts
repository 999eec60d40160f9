import { describe, expect, test } from "vitest";
import { asksForCode, findTextCall } from "../../../../src/cairn/core/loop/written-call.ts";

const offered = (tool: string): boolean => ["page_list", "page_get", "web_search"].includes(tool);
const found = (text: string): string | null => findTextCall(text, offered);

describe("a call that is written as text is found", () => {
  test.each([
    '{"name":"page_list","arguments":{}}',
    '{"name":"page_list"}',
    '  {\n  "tool": "page_list",\n  "args": {"status": "draft"}\n}\n',
    '{"action":"page_list","action_input":"{}","thought":"I look."}',
    '{"type":"function","function":{"name":"page_list","arguments":"{}"}}',
    '{"tool_calls":[{"id":"1","function":{"name":"page_list","arguments":"{}"}}]}',
    '[{"name":"page_list","arguments":{}},{"name":"page_get","arguments":{"page":"a"}}]',
    '```json\n{"name":"page_list","arguments":{}}\n```',
    'I will look at the pages.\n\n```json\n{"name":"page_list",\n\n"arguments":{}}\n```',
    'I will look at the pages:\n\n{"name":"page_list","arguments":{}}',
    '<tool_call>{"name":"page_list","arguments":{}}</tool_call>',
    'Let me look.\n<tool_call>\n{"name": "page_list", "arguments": {}}\n</tool_call>\nI wait for it.',
    '<tool_call>\n{"name": "page_list", "arguments": {}}',
    '```xml\n<tool_call>{"name":"page_list","arguments":{}}</tool_call>\n```',
    "<function=page_list>{}</function>",
    '<function_call>\n<invoke name="page_list">\n</invoke>\n</function_call>',
    "page_list()",
    "`page_list()`",
    'print(default_api.page_list(status="draft"))',
    "pages = await functions.page_list()",
    "```python\nprint(default_api.page_list())\n```",
    "```tool_code\n# look first\npage_list()\n```",
    "I will look.\n\n```python\npage_list()\n```",
    '{"name":"functions.page_list","arguments":{}}',
    "Thought: I look.\nAction: page_list\nAction Input: {}",
  ])("%j", (text) => {
    expect(found(text)).toBe("page_list");
  });
});

describe("no call is", () => {
  test.each([
    "There are three pages: Home, About and Contact.",
    "I used page_list() and found three pages.",
    'To list them, the model calls {"name":"page_list","arguments":{}} and reads the answer.',
    'This is how one asks:\n\n```json\n{"name":"page_list","arguments":{}}\n```\n\nThe answer has the pages.',
    "It begins with `<tool_call>` and ends with `</tool_call>`; page_list stands in between.",
    'This is the form:\n\n```xml\n<tool_call>{"name":"page_list"}</tool_call>\n```\n\nIt is for models.',
    '{"name":"Fern & Fell","arguments":{}}',
    '{"name":"page_list","pages":3}',
    '{"pages":[{"name":"page_list"}]}',
    '{"title":"page_list"}',
    "[1, 2, 3]",
    "{not json}",
    "delete_everything()",
    "(page_list)",
    "",
  ])("%j", (text) => {
    expect(found(text)).toBeNull();
  });
});

test("who asks for code is told code", () => {
  const asked = [
    "Give me the JSON of a call of page_list",
    "what does a tool call look like?",
    "in Python, please",
  ];
  expect(asked.map(asksForCode)).toEqual([true, true, true]);
  expect(["List the pages", "call page_list"].map(asksForCode)).toEqual([false, false]);
});

test("64 KB of anything are read in time that grows with their length", () => {
  const costOf = (text: string): number => {
    const from = performance.now();
    found(text);
    return performance.now() - from;
  };
  const units = [
    "<tool_call>",
    "```\n",
    "{",
    "[",
    "a.",
    "a(",
    ")",
    "\n",
    " \n",
    "Action:",
    "Action:\n",
    "`",
    "<function=",
    "print(",
    "a=",
    "#\n",
    "```a\n\n",
  ];
  const slow = units.filter((unit) => costOf(unit.repeat(65_536 / unit.length)) > 500);
  expect(slow).toEqual([]);
});
