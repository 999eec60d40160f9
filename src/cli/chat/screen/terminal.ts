import { createInterface, cursorTo, clearScreenDown, moveCursor, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import {
  mayDecide,
  NOTHING_SHOWN,
  SEEN_MS,
  showAt,
  type Gate,
} from "../../../cairn/protocol/decision-gate.ts";
import { disarm, paint, type Piece } from "./ansi.ts";
import { parseCommand } from "./commands.ts";
import { endsComposedWord } from "./input-method.ts";
import { MessageLines } from "./message-lines.ts";

/** Standard input, output and error, or what a test has in their place. */
export interface Streams {
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly errors: Writable & { readonly isTTY?: boolean };
}

export interface TerminalEvents {
  /**
   * True if the line was a command, which is then carried out and answers nothing. `beganAt`: when its first key was
   * pressed, by the clock of the terminal.
   */
  command(line: string, beganAt: number): boolean;
  /** the first Ctrl-C: the second leaves */
  warn(): void;
  leave(): void;
}

export interface Clock {
  /** milliseconds that never go back */
  now(): number;
  /** Calls back once after so many milliseconds, unless the answer is called before. */
  later(ms: number, callback: () => void): () => void;
}

/** The clock of this process. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  later(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export interface Asking {
  /**
   * `message`: any line is one, also one that was typed before. `field`: lines typed before are no answers. `decision`: what was
   * begun before the question had been on the screen for 400 ms decides nothing and stays as text, in a pipe too
   */
  readonly for: "message" | "field" | "decision";
  readonly signal?: AbortSignal;
  /** initial text of the line; an empty line of a script keeps it */
  readonly prefill?: string;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 120;
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
/** A prompt that asks for a decision comes this much after the time from which it may be given: timers may come early. */
const PROMPT_MS = SEEN_MS + 20;
const WORD_ENDED = "that Enter came together with a word of your input method; press Enter again to send";
const TOO_EARLY = "typed before the question was visible, so it decides nothing";

/**
 * A terminal, or pipes. The conversation goes to standard output; prompts and remarks go to standard error, so that a
 * pipe gets the conversation only. On a screen the last line is the prompt's: it is erased before anything is written
 * and drawn again below it, with the text typed so far.
 */
export class Terminal {
  /** whether a person sits here: keys come one by one */
  readonly interactive: boolean;
  /** whether the last line can be drawn over */
  private readonly drawsOver: boolean;
  private readonly streams: Streams;
  private readonly events: TerminalEvents;
  private readonly colours: { readonly out: boolean; readonly err: boolean };
  private readonly reader: Interface;
  private readonly lines: MessageLines;
  /** the piece of input that is being read came from an input method, with the Enter that ended its word */
  private endsWord = false;
  private readonly typed: { readonly text: string; readonly beganAt: number }[] = [];
  private readonly clock: Clock;
  /** first key of the line that is being typed */
  private lineBeganAt = 0;
  /** of the lines that are held back as the beginning of one message */
  private heldBeganAt: number | null = null;
  /** closed while no decision is asked for */
  private gate: Gate = NOTHING_SHOWN;
  private decides = false;
  private asked = 0;
  private waiting: ((line: string | null) => void) | null = null;
  private question: string | null = null;
  private doing: { readonly words: string; readonly since: number; readonly timer: NodeJS.Timeout } | null =
    null;
  private drawn = false;
  private midLine = false;
  private isBorrowed = false;
  private readonly held: (() => void)[] = [];
  private warned = false;
  private ended = false;

  constructor(events: TerminalEvents, streams: Streams = STANDARD, clock: Clock = CLOCK) {
    this.events = events;
    this.streams = streams;
    this.clock = clock;
    const { input, output, errors } = streams;
    const wanted = !process.env["NO_COLOR"];
    this.colours = { out: wanted && output.isTTY === true, err: wanted && errors.isTTY === true };
    this.interactive = input.isTTY === true && errors.isTTY === true;
    this.drawsOver = this.interactive && process.env["TERM"] !== "dumb";
    this.lines = new MessageLines(this.interactive, {
      take: (text) => this.take(text),
      isBegun: () => this.reader.line !== "",
    });
    if (this.interactive) {
      const decoder = new StringDecoder();
      input.prependListener("data", (piece: Buffer | string) => {
        this.endsWord = endsComposedWord(typeof piece === "string" ? piece : decoder.write(piece));
      });
    }
    input.on("keypress", (_: unknown, key: { readonly name?: string } | undefined) => {
      // Before the line takes the key: one that is empty begins with it.
      if (this.reader.line === "") this.lineBeganAt = clock.now();
      if (key?.name === "paste-start") this.lines.paste(true);
      if (key?.name === "paste-end") this.lines.paste(false);
    });
    this.reader = createInterface({ input, output: errors, terminal: this.interactive });
    if (this.drawsOver) errors.write(PASTE_ON);
    this.reader.on("line", (line) => {
      // Enter has moved the cursor below what was drawn.
      this.drawn = false;
      if (this.endsWord) return this.leaveWord(line);
      this.heldBeganAt ??= this.interactive ? this.lineBeganAt : clock.now();
      this.lines.add(line);
    });
    this.reader.on("close", () => {
      this.lines.end();
      this.end();
    });
    // On a terminal Ctrl-C comes as a key; otherwise as a signal.
    this.reader.on("SIGINT", () => this.interrupt());
    if (streams === STANDARD) process.on("SIGINT", () => this.interrupt());
  }

  show(pieces: readonly Piece[]): void {
    const text = paint(pieces, false);
    if (text === "") return;
    this.write(() => {
      this.midLine = !text.endsWith("\n");
      this.streams.output.write(paint(pieces, this.colours.out));
    });
  }

  /** The same for what is no part of the conversation. */
  showAside(pieces: readonly Piece[]): void {
    this.write(() => this.streams.errors.write(paint(pieces, this.colours.err)));
  }

  print(line: string): void {
    this.write(() => this.streams.output.write(`${line}\n`));
  }

  note(text: string): void {
    this.write(() => {
      // On one screen a remark gets its own line; in a pipe the output is left as it is.
      const onOneScreen = this.streams.output.isTTY === true && this.streams.errors.isTTY === true;
      if (onOneScreen && this.midLine) this.streams.errors.write("\n");
      if (onOneScreen) this.midLine = false;
      this.streams.errors.write(`${paint([{ tone: "dim", text }], this.colours.err)}\n`);
    });
  }

  /** Shows the current activity with its seconds, on a line that is overwritten; null clears the line. */
  busy(words: string | null): void {
    if ((this.doing?.words ?? null) === words || !this.drawsOver) return;
    clearInterval(this.doing?.timer);
    const since = Date.now();
    this.doing = words === null ? null : { words, since, timer: setInterval(() => this.draw(), FRAME_MS) };
    if (this.doing === null && this.question === null) this.erase();
    else this.draw();
  }

  /** The next message, or null at the end of input. Rejects when the signal fires. */
  async ask(prompt: string, asking: Asking): Promise<string | null> {
    const { signal, prefill = "" } = asking;
    const isMessage = asking.for === "message";
    if (!isMessage && this.interactive) this.leaveAsText(asking.for === "decision");
    for (let next = this.takeTyped(asking); next !== null; next = this.takeTyped(asking)) {
      if (!this.events.command(next.text, next.beganAt)) return next.text === "" ? prefill : next.text;
      if (signal?.aborted === true) throw new Error("the question is off the table");
    }
    if (this.ended) {
      this.reportUnused();
      return null;
    }
    this.decides = asking.for === "decision";
    this.gate = this.decides ? showAt(this.gate, `${(this.asked += 1)}`, this.clock.now()) : NOTHING_SHOWN;
    const open = (): void => {
      if (!this.interactive && !isMessage) this.streams.errors.write(prompt);
      this.question = prompt;
      this.draw();
      if (this.interactive && prefill !== "") this.reader.write(prefill);
    };
    // The prompt shows that an answer counts from now on.
    const cancel = this.decides ? this.clock.later(PROMPT_MS, open) : null;
    if (cancel === null) open();
    return new Promise((resolve, reject) => {
      const done = () => {
        cancel?.();
        this.waiting = null;
        this.question = null;
        this.decides = false;
        signal?.removeEventListener("abort", giveUp);
      };
      const giveUp = () => {
        this.erase();
        done();
        if (!this.interactive) this.streams.errors.write("\n");
        reject(new Error("the question is off the table"));
      };
      this.waiting = (line) => {
        done();
        if (!this.interactive && !isMessage)
          this.streams.errors.write(`${line === null ? "" : disarm(line)}\n`);
        if (line === null) this.reportUnused();
        resolve(line === "" && !this.interactive ? prefill : line);
      };
      signal?.addEventListener("abort", giveUp);
    });
  }

  /** The next of the lines that came before the question and may answer it. A decision takes commands only, in their turn. */
  private takeTyped(asking: Asking): { readonly text: string; readonly beganAt: number } | null {
    const [next] = this.typed;
    if (next === undefined || (asking.for === "decision" && !isCommandLine(next.text))) return null;
    this.typed.shift();
    return next;
  }

  /** Lines that were sent too early are put back into the prompt, or listed if that is impossible. */
  private leaveAsText(inTheLine: boolean): void {
    if (this.typed.length === 0) return;
    const texts = this.typed.splice(0).flatMap(({ text }) => (text === "" ? [] : [text]));
    const fits = inTheLine && this.reader.line === "" && !texts.some((text) => text.includes("\n"));
    const shown = fits || texts.length === 0 ? "" : `: ${texts.map((each) => disarm(each)).join(" / ")}`;
    this.note(`(${TOO_EARLY}${shown})`);
    if (fits) this.putBack(texts.join(" "));
  }

  /** Text that is put back into the line was begun before any question: the line has to be cleared before it can answer one. */
  private putBack(text: string): void {
    this.reader.write(text);
    this.lineBeganAt = -Infinity;
  }

  /** Puts a line back whose Enter may be the input method's: the person sees it and sends it with the next Enter. */
  private leaveWord(line: string): void {
    const beganAt = this.lineBeganAt;
    this.endsWord = false;
    this.note(`(${WORD_ENDED})`);
    this.reader.write(line);
    this.lineBeganAt = beganAt;
  }

  private reportUnused(): void {
    const texts = this.typed.splice(0).map(({ text }) => disarm(text));
    if (texts.length > 0) this.note(`(not used, because it was ${TOO_EARLY}: ${texts.join(" / ")})`);
  }

  /** Lends keys and screen to another program while it works. */
  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    this.erase();
    this.isBorrowed = true;
    this.reader.pause();
    this.streams.input.setRawMode?.(false);
    this.streams.errors.write(PASTE_OFF);
    try {
      return await work();
    } finally {
      this.isBorrowed = false;
      this.streams.input.setRawMode?.(true);
      this.streams.errors.write(PASTE_ON);
      this.reader.resume();
      for (const work of this.held.splice(0)) this.write(work);
      this.draw();
    }
  }

  close(): void {
    this.erase();
    this.waiting = null;
    this.typed.length = 0;
    this.reader.close();
  }

  private take(message: string): void {
    this.warned = false;
    const beganAt = this.heldBeganAt ?? this.clock.now();
    this.heldBeganAt = null;
    // A person's command counts at once, a script's in its turn.
    const now = this.interactive || this.waiting !== null;
    if (now && this.events.command(message, beganAt)) this.draw();
    else if (this.waiting === null) this.typed.push({ text: message, beganAt });
    else if (!this.decides || mayDecide(this.gate, beganAt)) this.waiting(message);
    else {
      this.typed.push({ text: message, beganAt });
      if (this.interactive) this.leaveAsText(true);
    }
  }

  private interrupt(): void {
    // Another program has the keys: this Ctrl-C is its own.
    if (this.isBorrowed) return;
    if (!this.interactive || this.warned) return this.events.leave();
    this.warned = true;
    this.erase();
    for (const name of ["e", "u"]) this.reader.write("", { ctrl: true, name });
    this.erase();
    this.events.warn();
  }

  private end(): void {
    if (this.ended) return;
    this.erase();
    this.ended = true;
    clearInterval(this.doing?.timer);
    if (this.drawsOver) this.streams.errors.write(PASTE_OFF);
    this.waiting?.(null);
  }

  /** Output waits while another program has the screen. */
  private write(work: () => void): void {
    if (this.isBorrowed) return void this.held.push(work);
    this.erase();
    work();
    this.draw();
  }

  private draw(): void {
    const status = this.doing === null ? null : statusLine(this.doing);
    const prompt = [status, this.question].filter((each) => each !== null).join("\n");
    if (!this.interactive || this.ended || this.isBorrowed || this.midLine || prompt === "") return;
    this.erase();
    this.reader.setPrompt(prompt);
    // Node would go up by the rows that it believes it has drawn, and does not count those that typing has wrapped.
    Object.assign(this.reader, { prevRows: 0 });
    this.drawn = true;
    this.reader.prompt(true);
  }

  private erase(): void {
    if (!this.drawn) return;
    const { errors } = this.streams;
    this.drawn = false;
    if (!this.drawsOver) return void errors.write("\n");
    moveCursor(errors, 0, -this.reader.getCursorPos().rows);
    cursorTo(errors, 0);
    clearScreenDown(errors);
  }
}

const isCommandLine = (line: string): boolean => parseCommand(line) !== null;

const STANDARD: Streams = { input: process.stdin, output: process.stdout, errors: process.stderr };

function statusLine({ words, since }: { readonly words: string; readonly since: number }): string {
  const ms = Date.now() - since;
  const frame = FRAMES[Math.floor(ms / FRAME_MS) % FRAMES.length] ?? "";
  return `${frame} ${words} · ${Math.floor(ms / 1_000)} s `;
}
