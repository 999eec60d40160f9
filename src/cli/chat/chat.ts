import { randomUUID } from "node:crypto";
import { CHAT_USAGE, commandFor, EXIT, parseChatOptions, type ChatOptions } from "./chat-options.ts";
import { oneLine } from "./screen/ansi.ts";
import { HELP, parseCommand } from "./screen/commands.ts";
import { Connection, type ConnectionEvent } from "./connection.ts";
import { createBelow, isBelow, pathOf } from "./approvals/below.ts";
import { Conversation, type Ending, type TerminalPort } from "./conversation.ts";
import { editorOf, openEditor } from "./screen/editor.ts";
import type { Hello } from "./frames.ts";
import { answerBudget, giveMore, MORE_USAGE, parseMore } from "./extend-run.ts";
import { pastTurns } from "./past-turns.ts";
import { forgetAll } from "./approvals/remembered.ts";
import { chooseAgent, listAgents } from "./choose-agent.ts";
import { apiRequests, sessionRequests } from "./session-request.ts";
import { openSocket } from "./socket.ts";
import { CLOCK, Terminal } from "./screen/terminal.ts";
import { runCommand } from "../start/start-options.ts";
import { diagnose, troubleOfClose, type Trouble } from "../start/diagnose.ts";
import { summary } from "./screen/view.ts";
import { understoodBy } from "../../plugins/rehearsal/answer-words.ts";

/** `npm run chat`: a session in a terminal. */

async function chat(options: ChatOptions): Promise<number> {
  const session = options.session ?? `cli-${randomUUID().replaceAll("-", "").slice(0, 8)}`;
  const address = { url: options.url, session, token: options.token };
  const request = sessionRequests(address);
  const api = apiRequests(address);
  let greet: (hello: Hello) => void = () => {};
  let giveUp: (trouble: Trouble) => void = () => {};
  let leave: () => void = () => {};
  const greeted = new Promise<Hello>((resolve) => (greet = resolve));
  const over = new Promise<Trouble>((resolve) => (giveUp = resolve));
  const left = new Promise<"left">((resolve) => (leave = () => resolve("left")));

  const print = (text: string): void => terminal.note(text);
  const note = (text: string): void => (options.quiet ? undefined : terminal.note(text));
  const terminal = new Terminal({
    command,
    leave,
    warn: () =>
      print(
        conversation.atWork() === null
          ? "Ctrl-C again leaves."
          : "Ctrl-C again leaves; the run continues. /stop stops it.",
      ),
  });
  const editor = editorOf(process.env);
  const stage: TerminalPort = {
    show: (pieces) => (options.json || options.quiet ? undefined : terminal.show(pieces)),
    showRequest: (pieces) =>
      options.quiet && !options.approveAll ? terminal.showAside(pieces) : stage.show(pieces),
    note,
    print,
    busy: (words) => terminal.busy(words),
    interactive: terminal.interactive,
    record: (event) => (options.json ? terminal.print(JSON.stringify(event)) : undefined),
    ask: (prompt, signal, prefill) =>
      terminal.ask(prompt, { for: prefill === undefined ? "decision" : "field", signal, prefill }),
    now: CLOCK.now,
    editor:
      terminal.interactive && editor !== null
        ? (text) => terminal.lend(() => openEditor(editor, text))
        : null,
    preview: (approval, args) =>
      isBelow(approval)
        ? api("POST", `${pathOf(approval)}/preview`, { args })
        : request("POST", `/approvals/${approval}/preview`, { args }),
  };
  const later = (ms: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  };
  /** lines that were no command, and messages that were sent */
  let unread = 0;
  let worked = 0;
  /** of the last `/agent` */
  let chosen: Promise<void> = Promise.resolve();
  const connection = new Connection({
    open: () => openSocket(options.url, session, options.token),
    later,
    id: () => randomUUID(),
    onEvent(event: ConnectionEvent) {
      if (event.kind === "hello") greet(event.hello);
      conversation.handle(event);
      if (event.kind === "over") void explain(event).then(giveUp);
    },
  });
  const conversation = new Conversation(
    session,
    connection,
    stage,
    options,
    createBelow(session, api, later),
  );

  /** Runs a terminal command; any other line is a message, or an answer to the open question. */
  function command(line: string, beganAt: number): boolean {
    const typed = parseCommand(line);
    if (typed === null) return false;
    const run = conversation.atWork();
    switch (typed.word) {
      case "help":
        print(HELP);
        break;
      case "session":
        print(`${session} at ${options.url}`);
        break;
      case "quit":
        leave();
        terminal.close();
        break;
      case "stop":
        if (!conversation.stop()) print(run === null ? "No run in progress." : "It is being stopped.");
        break;
      case "forget":
        void forgetAll(request).then(print);
        break;
      case "agent":
        chosen = (
          typed.name === null
            ? listAgents(request, api)
            : chooseAgent(request, typed.name).then(({ words }) => words)
        ).then(print);
        break;
      case "more": {
        const extension = parseMore(typed.line);
        if (run === null) print("No run in progress to extend.");
        else if (extension === null) print(MORE_USAGE);
        else void giveMore(request, run, extension).then(print);
        break;
      }
      case "extend":
      case "enough": {
        const question = conversation.asksForMore();
        const decision = typed.word === "extend" ? "extend" : "finish";
        if (question === null) print("No run asks for more. /more extends the current run anyway.");
        else if (!conversation.mayAnswerMore(beganAt))
          print(`${line.trim()} was typed before the question, so it decides nothing. Type it again.`);
        else
          void answerBudget(request, question, decision).then(({ ok, words }) => {
            if (ok) conversation.answeredMore(question.id);
            print(words);
          });
        break;
      }
      case "unknown":
        unread += 1;
        print(
          `Unknown command ${oneLine(typed.line, 40)}. Try /help. To send it as a message, put a space before it.`,
        );
    }
    return true;
  }

  async function explain(event: Extract<ConnectionEvent, { kind: "over" }>): Promise<Trouble> {
    if (event.silent)
      return {
        what: `${options.url} accepts connections, but does not answer: it was given up after 10 s.`,
        hint: "Is that the address of Cairn? If it is, look at its own output, or start it again.",
      };
    return troubleOfClose(event.code, address) ?? (await diagnose(address));
  }

  /** How a person comes back to what they left. */
  function leaveCode(): number {
    const waits = conversation.waitsFor();
    const atWork = conversation.atWork() !== null;
    const what = waits === null ? (atWork ? "The run continues." : "") : `The run waits for ${waits}.`;
    note(`Left. ${what} To come back: ${commandFor(session, options.url)}`.replace("  ", " "));
    return waits !== null ? EXIT.waits : atWork ? EXIT.left : EXIT.done;
  }

  /** One run to its end; the exit code that it means. */
  async function work(run: Promise<Ending>): Promise<number | "off"> {
    const from = performance.now();
    const ending = await Promise.race([run, over, left]);
    if (ending === "left" || !("kind" in ending)) return "off";
    if (ending.kind === "refused") {
      print([ending.error.message, ending.error.hint ?? ""].join(" ").trim());
      return EXIT.failed;
    }
    if (ending.kind === "waits") {
      print(`The run waits for ${ending.for}. To give it: ${commandFor(session, options.url)}`);
      return EXIT.waits;
    }
    const { ended, denied, answer } = ending;
    if (options.quiet && answer !== null) terminal.print(answer);
    if (options.quiet && ended.class === "failed") print(summary(ended, performance.now() - from));
    note(summary(ended, performance.now() - from));
    if (ended.class !== "answered") return EXIT[ended.class];
    const understood = understoodBy(answer ?? "");
    if (understood === "nothing") return EXIT.failed;
    return denied || understood === "part" ? EXIT.partial : EXIT.answered;
  }

  async function converse(): Promise<number> {
    const first = await Promise.race([greeted, over, left]);
    if (first === "left") return leaveCode();
    if ("what" in first) return EXIT.failed;
    stage.record({ type: "session", sessionId: session, lastSeq: first.lastSeq });
    note(
      `Session ${session}${options.session === null ? ` (come back with --session ${session})` : ""} at ${options.url}`,
    );
    if (options.approveAll) note("--yes: EVERY request is APPROVED without review.");
    if (options.agent !== null) {
      const { ok, words } = await chooseAgent(request, options.agent);
      if (!ok) print(words);
      if (!ok) return EXIT.failed;
      note(words);
    }
    const atWork = first.activeRunId ?? null;
    if (first.lastSeq > 0 && !options.json && !options.quiet) {
      const turns = await pastTurns(request, atWork);
      if (turns !== null) note(turns);
    }
    let code: number = EXIT.done;
    if (atWork !== null) {
      note("A run is in progress:");
      const ended = await work(conversation.follow(atWork));
      if (ended === "off") return leaveCode();
      if (ended === EXIT.waits) return ended;
      code = ended;
    }
    if (options.message !== null) {
      const ended = await work(conversation.send(options.message, randomUUID()));
      return ended === "off" ? leaveCode() : ended;
    }
    note(HELP);
    for (;;) {
      const line = await Promise.race([terminal.ask("you> ", { for: "message" }), over, left]);
      if (line === "left") return leaveCode();
      if (line === null || typeof line === "object") {
        if (terminal.interactive) return EXIT.done;
        // A script is not done when one of its lines was no command.
        return unread === 0 || code !== EXIT.done ? code : worked === 0 ? EXIT.failed : EXIT.partial;
      }
      if (line.trim() === "") continue;
      // In a pipe the next line is here before the agent is set.
      await chosen;
      worked += 1;
      const ended = await work(conversation.send(line.trim(), randomUUID()));
      if (ended === "off") return leaveCode();
      if (ended === EXIT.waits) return ended;
      code = ended;
    }
  }

  connection.connect();
  const code = await converse();
  connection.close();
  terminal.close();
  const trouble = await Promise.race([over, Promise.resolve(null)]);
  if (trouble === null) return code;
  print(`${trouble.what}\n${trouble.hint}`);
  return EXIT.failed;
}

await runCommand(parseChatOptions(process.argv.slice(2), process.env), CHAT_USAGE, async (options) =>
  process.exit(await chat(options)),
);
