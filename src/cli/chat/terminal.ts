import { createInterface, type Interface } from "node:readline";
import { disarm, paint, type Piece } from "./ansi.ts";

/**
 * Standard input, output and error. The conversation goes to standard output; prompts and remarks go to standard
 * error, so that what is piped on is only what was said. Owns the order of lines and questions.
 */
export class Terminal {
  private readonly colours: { readonly out: boolean; readonly err: boolean };
  private readonly reader: Interface;
  private readonly interactive: boolean;
  private readonly typed: string[] = [];
  private waiting: ((line: string | null) => void) | null = null;
  private ended = false;
  private midLine = false;

  /** `onAside` is told of every line first, and says whether it was a word beside the conversation: no answer then. */
  constructor(onInterrupt: () => void, onAside: (line: string) => boolean = () => false) {
    const wanted = !process.env["NO_COLOR"];
    this.colours = {
      out: wanted && process.stdout.isTTY === true,
      err: wanted && process.stderr.isTTY === true,
    };
    this.interactive = process.stdin.isTTY === true;
    this.reader = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: this.interactive,
    });
    this.reader.on("line", (line) => {
      if (onAside(line)) {
        if (this.waiting !== null && this.interactive) this.reader.prompt();
      } else if (this.waiting === null) this.typed.push(line);
      else this.waiting(line);
    });
    this.reader.on("close", () => {
      this.ended = true;
      this.waiting?.(null);
    });
    // On a terminal Ctrl-C comes as a key; otherwise as a signal.
    this.reader.on("SIGINT", onInterrupt);
    process.on("SIGINT", onInterrupt);
  }

  show(pieces: readonly Piece[]): void {
    const text = paint(pieces, false);
    if (text !== "") this.midLine = !text.endsWith("\n");
    process.stdout.write(paint(pieces, this.colours.out));
  }

  print(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  note(text: string): void {
    // On one screen a remark gets a line of its own; in a pipe what was said is left as it is.
    const onOneScreen = process.stdout.isTTY === true && process.stderr.isTTY === true;
    if (onOneScreen && this.midLine) process.stderr.write("\n");
    if (onOneScreen) this.midLine = false;
    process.stderr.write(`${paint([{ tone: "dim", text }], this.colours.err)}\n`);
  }

  /**
   * The next line, or null at the end of input. With `fresh`, lines that a person typed before the question was
   * shown are no answers to it; a script's lines always are. Rejects when the signal fires.
   */
  ask(
    prompt: string,
    options: { readonly fresh: boolean; readonly signal?: AbortSignal },
  ): Promise<string | null> {
    const { fresh, signal } = options;
    if (fresh && this.interactive && this.typed.length > 0) {
      this.note(
        `(not used, because typed before the question: ${this.typed.map((each) => disarm(each)).join(" / ")})`,
      );
      this.typed.length = 0;
    }
    const before = this.typed.shift();
    if (before !== undefined) return Promise.resolve(before);
    if (this.ended) return Promise.resolve(null);
    if (this.interactive) {
      this.reader.setPrompt(prompt);
      this.reader.prompt();
    } else if (fresh) process.stderr.write(prompt);
    return new Promise((resolve, reject) => {
      const done = () => {
        this.waiting = null;
        signal?.removeEventListener("abort", giveUp);
      };
      const giveUp = () => {
        done();
        process.stderr.write("\n");
        reject(new Error("the question is off the table"));
      };
      this.waiting = (line) => {
        done();
        if (!this.interactive && fresh) process.stderr.write(`${line === null ? "" : disarm(line)}\n`);
        resolve(line);
      };
      signal?.addEventListener("abort", giveUp);
    });
  }

  close(): void {
    this.waiting = null;
    this.reader.close();
  }
}
