import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseCommand } from "../../../src/cli/chat/screen/commands.ts";
import { Terminal, type Clock } from "../../../src/cli/chat/screen/terminal.ts";

/** A terminal on streams of the test: what a person types goes in as keys, and the screen is what was written. */
class Screen {
  readonly input = new PassThrough();
  readonly written: string[] = [];
  readonly commands: string[] = [];
  warned = 0;
  left = 0;
  /** moves by `pass` only */
  now = 1_000;
  readonly due: { readonly at: number; readonly run: () => void }[] = [];
  readonly terminal: Terminal;

  constructor(isTTY: boolean, columns = 80) {
    const sink = () =>
      Object.assign(
        new PassThrough().on("data", (data: Buffer) => this.written.push(data.toString())),
        { isTTY, columns },
      );
    Object.assign(this.input, { isTTY });
    this.terminal = new Terminal(
      {
        command: (line) => {
          const isCommand = parseCommand(line) !== null;
          if (isCommand) this.commands.push(line);
          return isCommand;
        },
        warn: () => (this.warned += 1),
        leave: () => (this.left += 1),
      },
      { input: this.input, output: sink(), errors: sink() },
      this.clock(),
    );
  }

  private clock(): Clock {
    return {
      now: () => this.now,
      later: (ms, run) => {
        const timer = { at: this.now + ms, run };
        this.due.push(timer);
        return () => void this.due.splice(this.due.indexOf(timer), 1);
      },
    };
  }

  /** Lets so many milliseconds pass. */
  pass(ms: number): void {
    this.now += ms;
    for (const timer of this.due.filter(({ at }) => at <= this.now)) {
      this.due.splice(this.due.indexOf(timer), 1);
      timer.run();
    }
  }

  /** Types, and lets everything that is due run. */
  async type(text: string): Promise<void> {
    this.input.write(text);
    await settle();
  }

  /** Returns the text written since the last call, without colors. */
  look(): string {
    return this.written.splice(0).join("");
  }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};
const ask = (screen: Screen, isField = false, prefill?: string) =>
  screen.terminal.ask("you> ", {
    for: isField ? "field" : "message",
    ...(prefill === undefined ? {} : { prefill }),
  });
/** Asks for a decision; null once it is known that nothing has decided. */
function decision(screen: Screen): { readonly answer: () => string | null | undefined } {
  let answer: string | null | undefined;
  void screen.terminal.ask("Approve? ", { for: "decision" }).then((line) => (answer = line));
  return { answer: () => answer };
}

/** Rows that a screen of this width shows after the given output. */
function seen(written: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const at = (n: number): string[] => (rows[n] ??= []);
  // eslint-disable-next-line no-control-regex
  for (const [, mode, count, code, character] of written.matchAll(/\u001b\[(\??)([\d;]*)([A-Za-z])|([^])/g)) {
    const n = Number(count || "1");
    if (code === "A") row -= n;
    else if (code === "B") row += n;
    else if (code === "C") column += n;
    else if (code === "D") column -= n;
    else if (code === "G") column = n - 1;
    else if (code === "J") {
      at(row).length = Math.min(at(row).length, column);
      rows.length = row + 1;
    } else if (code !== undefined && code !== "m" && mode === "") throw new Error(`what is ${code}?`);
    else if (character === "\n") [row, column] = [row + 1, 0];
    else if (character === "\r") column = 0;
    else if (character !== undefined) {
      if (column >= columns) [row, column] = [row + 1, 0];
      at(row)[column] = character;
      column += 1;
    }
  }
  return Array.from(rows, (each) =>
    Array.from(each ?? [], (one) => one ?? " ")
      .join("")
      .trimEnd(),
  );
}

let screen: Screen;
afterEach(() => screen.terminal.close());

describe("at a terminal", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    screen = new Screen(true);
  });
  afterEach(() => void vi.useRealTimers());

  test("pasted lines are one message, with what is typed behind them", async () => {
    const asked = ask(screen);
    await screen.type("\u001b[200~/call site_overview {}\r/then\r/say Se\u001b[201~");
    await screen.type("en.\r");
    expect(await asked).toBe("/call site_overview {}\n/then\n/say Seen.");
  });

  test("a long paste that comes in pieces is one message too", async () => {
    const asked = ask(screen);
    await screen.type("\u001b[200~one\r");
    await screen.type("two\r\u001b[201~");
    await screen.type("\r");
    expect(await asked).toBe("one\ntwo\n");
  });

  test("lines that come at once from a terminal that marks no paste are one message too", async () => {
    const asked = ask(screen);
    await screen.type("one\rtwo\rthr");
    await screen.type("ee\r");
    expect(await asked).toBe("one\ntwo\nthree");
  });

  test("a line of its own is a message of its own", async () => {
    const first = ask(screen);
    await screen.type("one\r");
    await screen.type("two\r");
    expect([await first, await ask(screen)]).toEqual(["one", "two"]);
  });

  test("a command counts at once, and the question stands again below what it said", async () => {
    const asked = ask(screen);
    await screen.type("/help\r");
    expect(screen.commands).toEqual(["/help"]);
    await screen.type("hello\r");
    expect(await asked).toBe("hello");
  });

  test("the prompt and what was typed are drawn again after output", async () => {
    const asked = ask(screen);
    await screen.type("hal");
    screen.look();
    screen.terminal.note("Connected again.");
    const drawn = screen.look();
    expect(drawn.indexOf("Connected again.")).toBeLessThan(drawn.lastIndexOf("you> hal"));
    // The old prompt was taken away before.
    expect(drawn.indexOf("\u001b[0J")).toBeLessThan(drawn.indexOf("Connected again."));
    await screen.type("lo\r");
    expect(await asked).toBe("hallo");
  });

  test("what is going on stands on one line that is drawn over, with its seconds", () => {
    screen.terminal.busy("thinking");
    expect(screen.look()).toContain("thinking · 0 s");
    vi.advanceTimersByTime(3_000);
    const drawn = screen.look();
    expect(drawn).toContain("thinking · 2 s");
    expect(drawn).not.toContain("\n");
    screen.terminal.show([{ tone: "plain", text: "Half a " }]);
    screen.look();
    // Not into the middle of a line that is being written.
    vi.advanceTimersByTime(1_000);
    expect(screen.look()).toBe("");
    screen.terminal.show([{ tone: "plain", text: "line.\n" }]);
    expect(screen.look()).toContain("thinking · 4 s");
    screen.terminal.busy(null);
    screen.look();
    vi.advanceTimersByTime(1_000);
    expect(screen.look()).toBe("");
  });

  test("it stands above the question, if one is asked", async () => {
    const asked = ask(screen);
    screen.look();
    screen.terminal.busy("The connection is lost");
    vi.advanceTimersByTime(2_000);
    expect(screen.look()).toContain("The connection is lost · 1 s \nyou> ");
    screen.terminal.busy(null);
    await screen.type("hello\r");
    expect(await asked).toBe("hello");
  });

  test("a value stands in the line, to be changed", async () => {
    const asked = ask(screen, true, "About us");
    await screen.type("\u007f\u007fyou\r");
    expect(await asked).toBe("About you");
  });

  test("on a narrow screen nothing is drawn twice and nothing is lost", async () => {
    screen.terminal.close();
    screen = new Screen(true, 20);
    const asked = ask(screen);
    await screen.type("a message that is longer than the line");
    screen.terminal.busy("The connection is lost");
    vi.advanceTimersByTime(1_000);
    screen.terminal.note("One.");
    await screen.type(" of it");
    screen.terminal.busy(null);
    screen.terminal.note("Two.");
    expect(seen(screen.look(), 20)).toEqual([
      "One.",
      "Two.",
      "you> a message that",
      "is longer than the l",
      "ine of it",
    ]);
    await screen.type("\r");
    expect(await asked).toBe("a message that is longer than the line of it");
  });

  test("what is said while another program has the screen comes after it", async () => {
    let close = (): void => {};
    const lent = screen.terminal.lend(() => new Promise<void>((resolve) => (close = resolve)));
    screen.look();
    screen.terminal.note("Connected again.");
    screen.terminal.busy("thinking");
    vi.advanceTimersByTime(500);
    expect(screen.look()).toBe("");
    close();
    await lent;
    const drawn = screen.look();
    expect(drawn.indexOf("Connected again.")).toBeLessThan(drawn.lastIndexOf("thinking"));
    expect(drawn).toContain("Connected again.");
  });

  test("Ctrl-C clears the line and says how to leave; the second leaves; a line between them starts anew", async () => {
    const asked = ask(screen);
    await screen.type("half\u0003");
    expect([screen.warned, screen.left]).toEqual([1, 0]);
    await screen.type("hello\r");
    expect(await asked).toBe("hello");
    await screen.type("\u0003");
    expect([screen.warned, screen.left]).toEqual([2, 0]);
    await screen.type("\u0003");
    expect([screen.warned, screen.left]).toEqual([2, 1]);
  });

  test("Ctrl-D is the end of input", async () => {
    const asked = ask(screen);
    await screen.type("\u0004");
    expect(await asked).toBeNull();
  });
});

describe("a decision at a terminal", () => {
  beforeEach(() => {
    screen = new Screen(true);
  });

  test.each([
    ["typed before and sent 60 ms after", ["y", 0, 60, "\r"]],
    ["typed before and sent a minute after", ["y", 0, 60_000, "\r"]],
    ["sent before", ["y\r", 0, 60_000, ""]],
    ["nothing, sent 50 ms after", ["", 0, 50, "\r"]],
    ["typed 399 ms after and sent a minute after", ["", 399, 60_000, "y", "\r"]],
    ["begun before and gone on with after", ["y", 0, 500, "es", "\r"]],
    ["pasted before, with a word behind it", ["\u001b[200~y\r\u001b[201~", 0, 500, "y", "\r"]],
    ["lines pasted 100 ms after", ["", 100, 0, "one\ry\r"]],
    ["a word of a sentence", ["no, wait: ", 0, 500, "check the footer", "\r"]],
  ] as const)("is not what was %s", async (_, [before, first, then, ...keys]) => {
    await screen.type(before);
    const { answer } = decision(screen);
    await settle();
    screen.pass(first);
    if (first > 0) await screen.type(keys[0]);
    screen.pass(then);
    for (const key of first > 0 ? keys.slice(1) : keys) await screen.type(key);
    screen.pass(60_000);
    await settle();
    expect(answer()).toBeUndefined();
    expect(screen.look()).toContain("decides nothing");
  });

  test("stays open for what is typed when the line was cleared, and the prompt says from when on", async () => {
    await screen.type("y");
    const { answer } = decision(screen);
    screen.pass(400);
    await settle();
    expect(screen.look()).not.toContain("Approve?");
    screen.pass(20);
    expect(screen.look()).toContain("Approve? y");
    await screen.type("\r");
    expect(answer()).toBeUndefined();
    expect(seen(screen.look(), 80).at(-1)).toBe("Approve? y");
    // Ctrl-U
    await screen.type("\u0015n\r");
    expect(answer()).toBe("n");
  });

  test("is a key pressed 400 ms after", async () => {
    const { answer } = decision(screen);
    screen.pass(400);
    await screen.type("y\r");
    expect(answer()).toBe("y");
  });

  test("waits anew with each question", async () => {
    const first = decision(screen);
    screen.pass(420);
    await screen.type("y\r");
    const second = decision(screen);
    await screen.type("y\r");
    screen.pass(420);
    await settle();
    expect([first.answer(), second.answer()]).toEqual(["y", undefined]);
    await screen.type("\u0015\r");
    expect(second.answer()).toBe("");
  });

  test("leaves what was typed too early as text, which is the next message", async () => {
    await screen.type("check the footer\r");
    const abort = new AbortController();
    const asked = screen.terminal.ask("Approve? ", { for: "decision", signal: abort.signal });
    screen.pass(420);
    await screen.type("\r");
    abort.abort();
    await expect(asked).rejects.toThrow("off the table");
    const message = ask(screen);
    await screen.type(" too\r");
    expect(await message).toBe("check the footer too");
  });

  test("is no field: what stands there may be taken over at once", async () => {
    const field = ask(screen, true, "About us");
    await screen.type("\r");
    expect(await field).toBe("About us");
  });
});

describe("a decision in a pipe", () => {
  beforeEach(() => {
    screen = new Screen(false);
  });

  test("is not what was written before or too soon after, which is the next message", async () => {
    await screen.type("y\n");
    const { answer } = decision(screen);
    await screen.type("yes\n");
    screen.pass(420);
    await settle();
    expect(answer()).toBeUndefined();
    await screen.type("n\n");
    expect(answer()).toBe("n");
    expect([await ask(screen), await ask(screen)]).toEqual(["y", "yes"]);
  });

  test("is not there at the end of input, and what was written for it is named", async () => {
    await screen.type("y\n");
    screen.input.end();
    await settle();
    expect(await screen.terminal.ask("Approve? ", { for: "decision" })).toBeNull();
    expect(screen.look()).toMatch(/not used.*decides nothing: y/);
  });

  test("leaves the words of the terminal in their turn", async () => {
    await screen.type("/stop\ny\n");
    const { answer } = decision(screen);
    await settle();
    expect([screen.commands, answer()]).toEqual([["/stop"], undefined]);
  });
});

describe("in a pipe", () => {
  beforeEach(() => {
    screen = new Screen(false);
  });

  test("each line is a message, and the lines of a script are one", async () => {
    const lines = [
      ..."one\n/call site_overview {}\n/then\n/say Seen.\ny\n/say Alone.\n/call a {}\n\n".split("\n"),
      "/call b {}",
    ];
    await screen.type(`${lines.slice(0, -2).join("\n")}\n/call b {}\n`);
    screen.input.end();
    await settle();
    const messages: (string | null)[] = [];
    do messages.push(await ask(screen));
    while (messages.at(-1) !== null);
    expect(messages).toEqual([
      "one",
      "/call site_overview {}\n/then\n/say Seen.",
      "y",
      "/say Alone.",
      "/call a {}",
      "",
      "/call b {}",
      null,
    ]);
  });

  test("a command is carried out in its turn", async () => {
    await screen.type("one\n/stop\ntwo\n");
    expect([await ask(screen), screen.commands]).toEqual(["one", []]);
    expect([await ask(screen), screen.commands]).toEqual(["two", ["/stop"]]);
  });

  test("an empty line leaves a value as it is", async () => {
    await screen.type("\n");
    expect(await ask(screen, true, "About us")).toBe("About us");
  });

  test("nothing is drawn over", () => {
    screen.terminal.busy("thinking");
    expect(screen.look()).toBe("");
  });
});

describe("a line with a slash", () => {
  test.each([
    ["/stop", "stop"],
    ["/quit ", "quit"],
    ["/exit", "quit"],
    ["/forget", "forget"],
    ["/session", "session"],
    ["/help", "help"],
    ["/more 3", "more"],
    ["/stopp", "unknown"],
    ["/quit now", "unknown"],
  ])("%j is the command %s", (line, word) => {
    expect(parseCommand(line)?.word).toBe(word);
  });

  test.each([
    " /stopp",
    "/call a {}",
    "/say x",
    "/then\n/say x",
    "/lean look",
    "/site/about is wrong",
    "stop",
    "",
  ])("%j is a message", (line) => {
    expect(parseCommand(line)).toBeNull();
  });
});
