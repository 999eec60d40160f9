import { describe, expect, test } from "vitest";
import type { Health } from "../../src/cli/start/health.ts";
import { banner } from "../../src/cli/start/banner.ts";
import { commandFor, parseChatOptions } from "../../src/cli/chat/chat-options.ts";
import { editorOf, openEditor } from "../../src/cli/chat/screen/editor.ts";
import { parseReply } from "../../src/cli/chat/approvals/reply.ts";
import { parseStartOptions } from "../../src/cli/start/start-options.ts";
import { LOG_START, sift } from "../../src/cli/start/wrangler-log.ts";

describe("the arguments of npm start", () => {
  test("are none at first: the usual port, nobody has to log in", () => {
    expect(parseStartOptions([])).toEqual({
      kind: "options",
      options: {
        port: 8787,
        inspect: false,
        inspectorPort: null,
        persistTo: null,
        vars: ["ALLOW_ANONYMOUS:true"],
        demoWeb: false,
        verbose: false,
      },
    });
  });

  test("hand settings on, and never overrule one about logging in", () => {
    const parsed = parseStartOptions([
      "--port",
      "9000",
      "--var",
      "MODEL:openai-compatible:x",
      "--var",
      "ALLOW_ANONYMOUS:false",
    ]);
    expect(parsed).toMatchObject({
      options: { port: 9000, vars: ["MODEL:openai-compatible:x", "ALLOW_ANONYMOUS:false"] },
    });
  });

  test("ask for a debugger, at a port of their choice or at a free one", () => {
    expect(parseStartOptions(["--inspect"])).toMatchObject({
      options: { inspect: true, inspectorPort: null },
    });
    expect(parseStartOptions(["--inspect", "--inspector-port", "9229"])).toMatchObject({
      options: { inspect: true, inspectorPort: 9229 },
    });
  });

  test("ask for the demo web", () => {
    expect(parseStartOptions(["--demo-web"])).toMatchObject({ options: { demoWeb: true } });
  });

  test.each([
    [["--port", "0"]],
    [["--port", "99999"]],
    [["--port", "x"]],
    [["--var", "NOVALUE"]],
    [["--inspector-port", "9229"]],
    [["--inspect", "--inspector-port", "0"]],
    [["--prot", "1"]],
    [["stray"]],
  ])("refuse %j", (argv) => {
    expect(parseStartOptions(argv).kind).toBe("usage");
  });
});

describe("the arguments of npm run chat", () => {
  test("are none at first: a conversation with this machine in a new session", () => {
    expect(parseChatOptions([], {})).toEqual({
      kind: "options",
      options: {
        message: null,
        session: null,
        agent: null,
        fields: {},
        url: "http://127.0.0.1:8787",
        token: null,
        approveAll: false,
        json: false,
        quiet: false,
      },
    });
  });

  test.each(["/say Hello.", "/lean look", " /stopp", "/call a {}\n/then\n/say b"])(
    "take %j as a message",
    (message) => {
      expect(parseChatOptions([message], {})).toMatchObject({ options: { message: message.trim() } });
    },
  );

  test("take the fields of a run, as POST /api/runs names them", () => {
    const argv = [
      "hello",
      "--model",
      "a:b",
      "--fallback",
      "c:d",
      "--fallback",
      "e:f",
      "--instructions",
      "Be brief.",
      "--targets",
      '{"site":{"siteId":"main","environmentId":"preview"}}',
      "--metadata",
      '{"ticket":7}',
      "--output",
      '{"type":"object"}',
    ];
    expect(parseChatOptions(argv, {})).toMatchObject({
      options: {
        message: "hello",
        fields: {
          model: "a:b",
          fallback_models: ["c:d", "e:f"],
          instructions: "Be brief.",
          targets: { site: { siteId: "main", environmentId: "preview" } },
          metadata: { ticket: 7 },
          output: { type: "object" },
        },
      },
    });
  });

  test.each([
    ["--metadata", "[1]"],
    ["--targets", "main"],
    ["--output", "{"],
    ["--model", " "],
    ["--instructions", ""],
  ])("refuse %s %j", (option, value) => {
    expect(parseChatOptions([option, value], {}).kind).toBe("usage");
  });

  test("take one message from several words, and a token from the environment", () => {
    const parsed = parseChatOptions(
      ["make", "a page", "--session", "s1", "--url", "https://cairn.example/x"],
      {
        CAIRN_TOKEN: "secret-token-0001",
      },
    );
    expect(parsed).toMatchObject({
      options: {
        message: "make a page",
        session: "s1",
        url: "https://cairn.example",
        token: "secret-token-0001",
      },
    });
  });

  test.each([
    [["--session", "no spaces"]],
    [["--url", "ftp://x"]],
    [["--url", "nowhere"]],
    [[" "]],
    [["--token", "a b"]],
    [["--ja"]],
    [["--json", "--quiet"]],
    [["/stopp"]],
    [["/quit"]],
  ])("refuse %j", (argv) => {
    expect(parseChatOptions(argv, {}).kind).toBe("usage");
  });
});

describe("the answer to an approval", () => {
  test.each(["y", "Y", "yes", " YES ", "yes!"])("%j approves", (line) => {
    expect(parseReply(line)).toEqual({ decision: "approve" });
  });

  test.each([
    ["y remember", "args"],
    ["Yes, and remember.", "args"],
    ["y remember args", "args"],
    ["yes remember TOOL", "tool"],
  ])("%j approves, and has it remembered for %s", (line, remember) => {
    expect(parseReply(line)).toEqual({ decision: "approve", remember });
  });

  test.each([
    ["", null],
    ["n", null],
    ["No", null],
    ["n because the image is too dark", "the image is too dark"],
    ["no, because: wait for Ann", "wait for Ann"],
    ["no since it is late", "it is late"],
  ])("%j denies with the reason %j", (line, reason) => {
    expect(parseReply(line)).toEqual({ decision: "deny", reason });
  });

  test.each([
    ["e", null],
    ["edit", null],
    ['e {"name":"Our story"}', '{"name":"Our story"}'],
  ])("%j edits the arguments", (line, args) => {
    expect(parseReply(line)).toEqual({ decision: "edit", args });
  });

  test.each([
    "edit the title",
    "yes but change the title",
    "y remember to change the title",
    "yep",
    "maybe",
    "nothing wrong with it",
    "no, wait: check the footer",
    "No need to ask, go on",
    "no problem",
    "no - not today",
    "n, wait",
    "1",
    "sure, go ahead",
  ])("%j is neither", (line) => {
    expect(parseReply(line)).toEqual({ decision: "unclear" });
  });
});

test("of wrangler's output only errors are shown, with the lines that belong to them", () => {
  const output = [
    "⎔ Starting local server...",
    "\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1mBuild failed\u001b[0m",
    "",
    "    src/worker.ts:3:9:",
    "\u001b[33m▲ \u001b[43;33m[WARNING]\u001b[0m AI bindings always access remote resources",
    "  more about the warning",
    "[wrangler:info] GET / 200 OK (11ms)",
    // A browser that closed its connection is no error of anybody's.
    "✘ [ERROR] kj::getCaughtExceptionAsKj() = kj/async-io-unix.c++:186: disconnected: ::write(fd): Broken pipe",
    "  stack: bin/workerd@562a038 bin/workerd@562aef1",
  ];
  let filter = LOG_START;
  const shown = output.filter((line) => {
    const next = sift(filter, line);
    filter = next.filter;
    return next.show;
  });
  expect(shown).toEqual(output.slice(1, 4));
});

describe("the banner", () => {
  const health = {
    status: "ok",
    service: "cairn",
    model: "rehearsal:",
    rules: true,
    auth: "anonymous",
    panels: ["site"],
  } satisfies Health;

  test("says where everything is, which model it has and how to give it a real one", () => {
    const text = banner("http://127.0.0.1:8787", health);
    for (const part of [
      "http://127.0.0.1:8787/site/",
      "npm run chat",
      "rehearsal (fixed rules",
      "--var MODEL:",
    ])
      expect(text).toContain(part);
    expect(text).not.toContain("--url http");
  });

  test("has no word about a site that the deployment does not have", () => {
    for (const panels of [[], undefined]) {
      const text = banner("http://127.0.0.1:8787", { ...health, panels });
      expect(text).toContain("rehearsal (fixed rules, not a language model)");
      expect(text).not.toMatch(/site|page/i);
    }
  });

  test("names the address for the chat when it is not the usual one, and no advice when the model is real", () => {
    const text = banner("http://127.0.0.1:9000", {
      ...health,
      model: "openai-compatible:x",
      rules: false,
    });
    expect(text).toContain("npm run chat -- --url http://127.0.0.1:9000");
    expect(text).toContain("openai-compatible:x");
    expect(text).not.toContain("--var MODEL:");
  });

  test("names what has to be fixed", () => {
    const problems = [{ variable: "MODEL", message: "no base URL" }];
    expect(banner("http://127.0.0.1:8787", { ...health, status: "misconfigured", problems })).toContain(
      "MODEL: no base URL",
    );
  });
});

describe("the editor of a person", () => {
  test.each([
    [{ VISUAL: "code --wait", EDITOR: "nano" }, "code --wait"],
    [{ EDITOR: "nano" }, "nano"],
    // npm says so where nobody has chosen one
    [{ EDITOR: "vi" }, null],
    [{ VISUAL: "vi", EDITOR: "vi" }, "vi"],
    [{ VISUAL: "", EDITOR: "" }, null],
    [{}, null],
  ])("of %j is %j", (environment, editor) => {
    expect(editorOf(environment)).toBe(editor);
  });

  test("changes the text, and what it leaves when it fails counts for nothing", async () => {
    expect(await openEditor("sed -i s/About/Contact/", '{"page":"About"}')).toBe('{"page":"Contact"}\n');
    expect(await openEditor("false", "{}")).toBeNull();
  });
});

test("the command that comes back to a session names an address that is not the usual one", () => {
  expect(commandFor("cli-1", "http://127.0.0.1:8787")).toBe("npm run chat -- --session cli-1");
  expect(commandFor("cli-1", "http://127.0.0.1:8911")).toBe(
    "npm run chat -- --url http://127.0.0.1:8911 --session cli-1",
  );
});
