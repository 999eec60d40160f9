import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endsComposedWord } from "../../../src/cli/chat/screen/input-method.ts";
import { Terminal } from "../../../src/cli/chat/screen/terminal.ts";

/** The input that an input method gives to a terminal: a word in one piece, with its Enter behind it or not. */

let input: PassThrough;
let terminal: Terminal;
let written: string;

beforeEach(() => {
  written = "";
  input = Object.assign(new PassThrough(), { isTTY: true });
  const sink = () =>
    Object.assign(
      new PassThrough().on("data", (data: Buffer) => (written += data.toString())),
      { isTTY: true, columns: 80 },
    );
  terminal = new Terminal(
    { command: () => false, warn: () => {}, leave: () => {} },
    { input, output: sink(), errors: sink() },
  );
});
afterEach(() => terminal.close());

async function type(...pieces: (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    input.write(piece);
    for (let turn = 0; turn < 4; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

function asked(): { readonly answer: () => string | null | undefined } {
  let answer: string | null | undefined;
  void terminal.ask("you> ", { for: "message" }).then((line) => (answer = line));
  return { answer: () => answer };
}

describe("a composed word with its Enter in one piece stays in the line, and the next Enter sends it", () => {
  test.each([
    ["Japanese", ["日本語\r"], "日本語"],
    ["katakana after ASCII", ["Cairn の", "ページ\r"], "Cairn のページ"],
    ["Korean", ["안녕\r"], "안녕"],
    ["Chinese with a full stop", ["你好。\r"], "你好。"],
    ["Bopomofo, before it is a sign", ["ㄋㄧ\r"], "ㄋㄧ"],
    ["letters of full width", ["ｏｋ\r"], "ｏｋ"],
    ["a sign outside of the first plane", ["𠮷\r"], "𠮷"],
  ])("%s", async (_, pieces, whole) => {
    const { answer } = asked();
    await type(...pieces);
    expect(answer()).toBeUndefined();
    expect(written).toContain("press Enter again to send");
    await type("\r");
    expect(answer()).toBe(whole);
  });

  test("two words in turn are one message", async () => {
    const { answer } = asked();
    await type("会社\r", "概要\r", "を作る", "\r");
    expect(answer()).toBe("会社概要を作る");
  });

  test("bytes of a sign that come in two pieces are one sign", async () => {
    const bytes = Buffer.from("語\r");
    const { answer } = asked();
    await type(bytes.subarray(0, 2), bytes.subarray(2));
    expect(answer()).toBeUndefined();
    await type("\r");
    expect(answer()).toBe("語");
  });
});

describe("what is no word of an input method is sent by its Enter", () => {
  test.each([
    ["ASCII in one piece", ["hello\r"], "hello"],
    ["a word of German", ["Grüße\r"], "Grüße"],
    ["a word, then Enter", ["日本語", "\r"], "日本語"],
    ["a paste of several lines without marks", ["一行\r二行\r"], "一行\n二行"],
    ["a marked paste, then Enter", ["\u001b[200~日本\r語\u001b[201~", "\r"], "日本\n語"],
  ])("%s", async (_, pieces, whole) => {
    const { answer } = asked();
    await type(...pieces);
    expect(answer()).toBe(whole);
  });
});

test("only a word of such a script before one Enter is taken for a composed one", () => {
  const cases = {
    "語\r": true,
    語: false,
    "\r": false,
    "語\r\r\r": false,
    "a\r": false,
    "\u001b[A語\r": false,
  };
  for (const [piece, expected] of Object.entries(cases))
    expect([piece, endsComposedWord(piece)]).toEqual([piece, expected]);
});
