import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { ForeignRow } from "../row.ts";

/** Replies of Tongyi DeepResearch, as its prompt and its loop of tools ask for them. */

const AT = "https://github.com/Alibaba-NLP/DeepResearch/blob/main/inference/";
const PROMPT = `${AT}prompt.py`;
const LOOP = `${AT}react_agent.py`;
const SEARCH = `${AT}tool_search.py`;
const VISIT = `${AT}tool_visit.py`;
const SCHOLAR = `${AT}tool_scholar.py`;
const PYTHON = `${AT}tool_python.py`;
const FILES = `${AT}tool_file.py`;

type Call = readonly [tool: string, input: Json];
type Row = ForeignRow<string, readonly Call[]>;

const call = (name: string, args: Json): string =>
  `<think>I look.</think>\n<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const program = (code: string, head = '{"name": "PythonInterpreter", "arguments": {}}'): string =>
  `<think>I count.</think>\n<tool_call>\n${head}\n<code>\n${code}\n</code>\n</tool_call>`;

const words = (count: number): string[] => Array.from({ length: count }, (_, at) => `word ${at}`);

/** The calls that Cairn makes of each where every tool is offered, and Python runs in `run_code`. */
export const RESEARCH_CALLS: readonly Row[] = [
  {
    name: "a search with several queries",
    source: PROMPT,
    input: call("search", { query: ["Maillard reaction", "browning of milk"] }),
    value: [["web_search", { queries: ["Maillard reaction", "browning of milk"] }]],
  },
  {
    name: "a search with one query as a text",
    source: SEARCH,
    input: call("search", { query: "Maillard reaction" }),
    value: [["web_search", { queries: ["Maillard reaction"] }]],
  },
  {
    name: "a search whose list is a text of JSON",
    source: SEARCH,
    input: call("search", { query: '["tides of Brest", "tides of Gibraltar"]' }),
    value: [["web_search", { queries: ["tides of Brest", "tides of Gibraltar"] }]],
  },
  {
    name: "a query in brackets that is no list",
    source: SEARCH,
    input: call("search", { query: "[1,2]-sigmatropic shift" }),
    value: [["web_search", { queries: ["[1,2]-sigmatropic shift"] }]],
  },
  {
    name: "more queries than one call takes",
    source: SEARCH,
    input: call("search", { query: words(12) }),
    value: [
      ["web_search", { queries: words(5) }],
      ["web_search", { queries: words(10).slice(5) }],
      ["web_search", { queries: words(12).slice(10) }],
    ],
  },
  {
    name: "arguments that are a text of JSON",
    source: LOOP,
    input: call("search", '{"query": ["salt"]}'),
    value: [["web_search", { queries: ["salt"] }]],
  },
  {
    name: "Cairn's name with DeepResearch's argument",
    source: PROMPT,
    input: call("web_search", { query: ["salt"] }),
    value: [["web_search", { queries: ["salt"] }]],
  },
  {
    name: "a visit of one page",
    source: VISIT,
    input: call("visit", { url: "https://example.org/a", goal: "the date" }),
    value: [["visit", { goal: "the date", urls: ["https://example.org/a"] }]],
  },
  {
    name: "a visit of several pages",
    source: PROMPT,
    input: call("visit", { url: ["https://example.org/a", "https://example.org/b"], goal: "the date" }),
    value: [["visit", { goal: "the date", urls: ["https://example.org/a", "https://example.org/b"] }]],
  },
  {
    name: "a visit as Cairn takes it",
    source: PROMPT,
    input: call("visit", { urls: ["https://example.org/a"], goal: "the date" }),
    value: [["visit", { urls: ["https://example.org/a"], goal: "the date" }]],
  },
  {
    name: "a search of scholarly works",
    source: SCHOLAR,
    input: call("google_scholar", { query: ["CRISPR off-target effects"] }),
    value: [["scholar_search", { queries: ["CRISPR off-target effects"] }]],
  },
  {
    name: "a file to parse",
    source: FILES,
    input: call("parse_file", { files: ["report.pdf"] }),
    value: [["read_file", { files: ["report.pdf"] }]],
  },
  {
    name: "a file to parse, as a text",
    source: FILES,
    input: call("parse_file", { files: "report.pdf" }),
    value: [["read_file", { files: ["report.pdf"] }]],
  },
  {
    name: "a program behind empty arguments",
    source: PROMPT,
    input: program("print(1 + 1)"),
    value: [["run_code", { language: "python", code: "print(1 + 1)" }]],
  },
  {
    name: "a program in a fence",
    source: PYTHON,
    input: program("```python\nfor n in range(3):\n    print(n)\n```"),
    value: [["run_code", { language: "python", code: "for n in range(3):\n    print(n)" }]],
  },
  {
    name: "a program that prints tags",
    source: PROMPT,
    input: program('print("</tool_call>", "<answer>", "</code>")\nprint(2)'),
    value: [
      ["run_code", { language: "python", code: 'print("</tool_call>", "<answer>", "</code>")\nprint(2)' }],
    ],
  },
  {
    name: "a program in its arguments",
    source: PYTHON,
    input: call("PythonInterpreter", { code: "print(3)" }),
    value: [["run_code", { language: "python", code: "print(3)" }]],
  },
  {
    name: "a program as its arguments",
    source: PYTHON,
    input: call("PythonInterpreter", "print(4)"),
    value: [["run_code", { language: "python", code: "print(4)" }]],
  },
  {
    name: "a program whose head is broken",
    source: LOOP,
    input: program("print(5)", '{"name": "PythonInterpreter", "arguments": {}'),
    value: [["run_code", { language: "python", code: "print(5)" }]],
  },
  {
    name: "a program behind the bare name",
    source: LOOP,
    input: program("print(6)", "python"),
    value: [["run_code", { language: "python", code: "print(6)" }]],
  },
  {
    name: "a program whose tag is not closed",
    source: LOOP,
    input: '<tool_call>\n{"name": "PythonInterpreter", "arguments": {}}\n<code>\nprint(7)\n</tool_call>',
    value: [["run_code", { language: "python", code: "print(7)" }]],
  },
  {
    name: "a program that was cut off, which is not run",
    source: LOOP,
    input: '<tool_call>\n{"name": "PythonInterpreter", "arguments": {}}\n<code>\nfor n in',
    value: [],
  },
  {
    name: "two calls of one reply",
    source: PROMPT,
    input: `${call("search", { query: ["a"] })}\n<tool_call>\n{"name": "visit", "arguments": {"url": "https://example.org", "goal": "b"}}\n</tool_call>`,
    value: [
      ["web_search", { queries: ["a"] }],
      ["visit", { goal: "b", urls: ["https://example.org"] }],
    ],
  },
];

/** A call on the wire: its name, and its arguments as the provider sends them. */
type WireRow = ForeignRow<readonly [name: string, args: string], readonly Call[]>;
const VLLM = "https://docs.vllm.ai/en/latest/features/tool_calling.html";

/** The calls of the same model where its server reads them out of its words. */
export const RESEARCH_CALLS_ON_THE_WIRE: readonly WireRow[] = [
  {
    name: "a search",
    source: PROMPT,
    input: ["search", '{"query":["Maillard reaction","browning of milk"]}'],
    value: [["web_search", { queries: ["Maillard reaction", "browning of milk"] }]],
  },
  {
    name: "a search with a text",
    source: SEARCH,
    input: ["search", '{"query":"Maillard reaction"}'],
    value: [["web_search", { queries: ["Maillard reaction"] }]],
  },
  {
    name: "a search whose arguments are encoded twice",
    source: VLLM,
    input: ["search", JSON.stringify('{"query":["salt"]}')],
    value: [["web_search", { queries: ["salt"] }]],
  },
  {
    name: "more queries than one call takes",
    source: SEARCH,
    input: ["search", JSON.stringify({ query: words(7) })],
    value: [
      ["web_search", { queries: words(5) }],
      ["web_search", { queries: words(7).slice(5) }],
    ],
  },
  {
    name: "Cairn's name with DeepResearch's argument",
    source: PROMPT,
    input: ["web_search", '{"query":["salt"]}'],
    value: [["web_search", { queries: ["salt"] }]],
  },
  {
    name: "a visit",
    source: VISIT,
    input: ["visit", '{"url":"https://example.org/a","goal":"the date"}'],
    value: [["visit", { goal: "the date", urls: ["https://example.org/a"] }]],
  },
  {
    name: "a visit as Cairn takes it",
    source: VISIT,
    input: ["visit", '{"urls":["https://example.org/a"],"goal":"the date"}'],
    value: [["visit", { urls: ["https://example.org/a"], goal: "the date" }]],
  },
  {
    name: "a search of scholarly works",
    source: SCHOLAR,
    input: ["google_scholar", '{"query":["tides"]}'],
    value: [["scholar_search", { queries: ["tides"] }]],
  },
  {
    name: "a file to parse",
    source: FILES,
    input: ["parse_file", '{"files":"report.pdf"}'],
    value: [["read_file", { files: ["report.pdf"] }]],
  },
  {
    name: "a program in its arguments",
    source: PYTHON,
    input: ["PythonInterpreter", '{"code":"print(1)"}'],
    value: [["run_code", { language: "python", code: "print(1)" }]],
  },
  {
    name: "a program behind empty arguments",
    source: PROMPT,
    input: ["PythonInterpreter", "{}\n<code>\nprint(2)\n</code>"],
    value: [["run_code", { language: "python", code: "print(2)" }]],
  },
  {
    name: "a program in place of arguments",
    source: PYTHON,
    input: ["PythonInterpreter", "print({'a': 3})"],
    value: [["run_code", { language: "python", code: "print({'a': 3})" }]],
  },
  {
    name: "a program in a fence in its arguments",
    source: PYTHON,
    input: ["python", JSON.stringify({ code: "```python\nprint(4)\n```" })],
    value: [["run_code", { language: "python", code: "print(4)" }]],
  },
  {
    name: "another spelling of the name",
    source: VLLM,
    input: ["Google-Scholar", '{"query":"tides"}'],
    value: [["scholar_search", { queries: ["tides"] }]],
  },
  {
    name: "a name that is none of theirs",
    source: VLLM,
    input: ["search_house", '{"query":"salt"}'],
    value: [["search_house", { query: "salt" }]],
  },
];
