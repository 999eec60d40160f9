import { randomUUID } from "node:crypto";
import { CHAT_USAGE, parseChatOptions, type ChatOptions } from "./chat-options.ts";
import { Connection, type ConnectionEvent } from "./connection.ts";
import { Conversation, type Ending, type Stage } from "./conversation.ts";
import type { Hello } from "./frames.ts";
import { giveMore, isMore, MORE_USAGE, parseMore } from "./extend-run.ts";
import { openSocket } from "./socket.ts";
import { Terminal } from "./terminal.ts";
import { runCommand } from "../start/start-options.ts";
import { diagnose, troubleOfClose, type Trouble } from "../start/diagnose.ts";
import { summary } from "./view.ts";

/** `npm run chat`: a session in a terminal. */

const EXIT = { answered: 0, failed: 1, partial: 3, cancelled: 3, left: 130 } as const;
const HELP =
  "/session  where this is      /more 10  while a run works: ten steps more      /help  this      /quit  leave (the session stays)      Ctrl-C  cancel the run";

async function chat(options: ChatOptions): Promise<number> {
  const session = options.session ?? `cli-${randomUUID().replaceAll("-", "").slice(0, 8)}`;
  const door = { url: options.url, session, token: options.token };
  let greet: (hello: Hello) => void = () => {};
  let giveUp: (trouble: Trouble) => void = () => {};
  const greeted = new Promise<Hello>((resolve) => (greet = resolve));
  const over = new Promise<Trouble>((resolve) => (giveUp = resolve));

  let leave: () => void = () => {};
  const left = new Promise<"left">((resolve) => {
    leave = () => resolve("left");
  });
  const terminal = new Terminal(() => {
    if (!conversation.interrupt()) leave();
  }, more);
  const stage: Stage = {
    show: (pieces) => (options.json ? undefined : terminal.show(pieces)),
    note: (text) => terminal.note(text),
    record: (event) => (options.json ? terminal.print(JSON.stringify(event)) : undefined),
    ask: (prompt, signal) => terminal.ask(prompt, { fresh: true, signal }),
  };
  const connection = new Connection({
    open: () => openSocket(options.url, session, options.token),
    later: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    id: () => randomUUID(),
    onEvent(event: ConnectionEvent) {
      if (event.kind === "hello") greet(event.hello);
      conversation.handle(event);
      if (event.kind === "over") void explain(event).then(giveUp);
    },
  });
  const conversation = new Conversation(session, connection, stage, options);

  /** `/more` while a run is at work; any other line is for whoever asked. */
  function more(line: string): boolean {
    const run = conversation.atWork();
    if (run === null || !isMore(line)) return false;
    const wish = parseMore(line);
    if (wish === null) terminal.note(MORE_USAGE);
    else void giveMore(door, run, wish).then((text) => terminal.note(text));
    return true;
  }

  async function explain(event: Extract<ConnectionEvent, { kind: "over" }>): Promise<Trouble> {
    return troubleOfClose(event.code, door) ?? (await diagnose(door));
  }

  /** One run to its end; the exit code that it means. */
  async function work(run: Promise<Ending>): Promise<number | "off"> {
    const from = performance.now();
    const ending = await Promise.race([run, over, left]);
    if (ending === "left") {
      terminal.note(`Left. To come back: npm run chat -- --session ${session}`);
      return "off";
    }
    if (!("kind" in ending)) return "off";
    if (ending.kind === "refused") {
      terminal.note([ending.error.message, ending.error.hint ?? ""].join(" ").trim());
      return EXIT.failed;
    }
    terminal.note(summary(ending.ended, performance.now() - from));
    return EXIT[ending.ended.class];
  }

  async function converse(): Promise<number> {
    const first = await Promise.race([greeted, over]);
    if ("what" in first) return EXIT.failed;
    stage.record({ type: "session", sessionId: session, lastSeq: first.lastSeq });
    terminal.note(
      `Session ${session}${options.session === null ? ` (come back with --session ${session})` : ""} at ${options.url}`,
    );
    if (options.approveAll)
      terminal.note("--yes: EVERYTHING it asks for is APPROVED, and nobody looks at it first.");
    if (first.activeRunId) {
      terminal.note("A run is at work here; this is it:");
      const code = await work(conversation.follow(first.activeRunId));
      if (code === "off") return EXIT.left;
    }
    if (options.wish !== null) {
      const code = await work(conversation.say(options.wish, randomUUID()));
      return code === "off" ? EXIT.left : code;
    }
    terminal.note(HELP);
    for (;;) {
      const line = await Promise.race([terminal.ask("you> ", { fresh: false }), over, left]);
      if (line === null || line === "left" || typeof line === "object") return EXIT.answered;
      const text = line.trim();
      if (text === "/quit" || text === "/exit") return EXIT.answered;
      if (text === "/help") terminal.note(HELP);
      else if (isMore(text)) terminal.note("No run is at work that could be given more.");
      else if (text === "/session") terminal.note(`${session} at ${options.url}`);
      else if (text !== "" && (await work(conversation.say(text, randomUUID()))) === "off") return EXIT.left;
    }
  }

  connection.connect();
  const code = await converse();
  connection.close();
  terminal.close();
  const trouble = await Promise.race([over, Promise.resolve(null)]);
  if (trouble === null) return code;
  terminal.note(`${trouble.what}\n${trouble.hint}`);
  return EXIT.failed;
}

await runCommand(parseChatOptions(process.argv.slice(2), process.env), CHAT_USAGE, async (options) =>
  process.exit(await chat(options)),
);
