import { createInterface } from "node:readline";
import * as z from "zod";
import { paint, type Piece } from "../chat/screen/ansi.ts";
import { runCommand } from "../start/start-options.ts";
import { openChat } from "./demo-chats.ts";
import { DEMO_USAGE, parseDemoOptions, type DemoOptions } from "./demo-options.ts";
import { startServer } from "./demo-server.ts";
import { ShownChat, type BotMessage } from "./shown-chat.ts";

/** `npm run channels:demo`: Cairn, a Telegram or a Slack of this machine, and a person in it, whose chat is this terminal. */

const ASK_MS_MAX = 5_000;
/** between two looks at whether something is at work, after the last piped line */
const LOOK_MS = 200;
const SETTLE_MS_MAX = 120_000;

const isTty = process.stdout.isTTY === true;
const isColoured = isTty && process.env["NO_COLOR"] === undefined;

async function demo({ start, port, channel }: DemoOptions): Promise<number> {
  let look = (): void => {};
  const person = await openChat(channel, () => look());
  const url = `http://127.0.0.1:${port}`;
  const vars = Object.entries(person.variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  show([{ tone: "dim", text: `Starting Cairn, and a ${person.title} of this machine…\n` }]);
  const server = startServer([...start, ...vars], (line) => show([{ tone: "dim", text: `${line}\n` }]));
  const interrupted = untilInterrupted();
  try {
    const began = await Promise.race([server.ready.then(() => "up" as const), interrupted]);
    if (began === "asked") return 0;
    person.connect(url);
    const chat = new ShownChat<BotMessage>();
    let notes = 0;
    look = () => {
      const notesShown = person.notes().slice(notes);
      notes += notesShown.length;
      const read = notesShown.filter((text) => text !== "");
      show([
        ...chat.update(person.messages()),
        ...read.map((text) => ({ tone: "dim", text: `(only you see this: ${text})\n` }) as const),
      ]);
    };
    const greeting = GREETING.replace("{url}", url).replaceAll("{title}", person.title);
    show([{ tone: "dim", text: `${greeting}\n` }]);
    await person.link(await codeOf(url));

    const act = async (line: string): Promise<"quit" | "on"> => {
      const typed = chat.parse(line);
      switch (typed.kind) {
        case "quit":
          return "quit";
        case "nothing":
          return "on";
        case "gone":
          show([{ tone: "bad", text: `The button ${typed.number} is not there any more.\n` }]);
          return "on";
        case "press":
          show([{ tone: "dim", text: `You press: ${typed.label}\n` }]);
          await person.press(typed.message, typed.label);
          return "on";
        case "say":
          if (!isTty) show([{ tone: "dim", text: `You: ${typed.text}\n` }]);
          await person.say(typed.text);
          return "on";
      }
    };
    const typed = readLines(act).then((how) =>
      how === "quit" ? "quit" : settled(url, interrupted).then(() => "quit" as const),
    );
    const why = await Promise.race([typed, interrupted, server.ended.then(() => "ended" as const)]);
    if (why === "ended") {
      show([{ tone: "bad", text: "Cairn stopped unexpectedly.\n" }]);
      return 1;
    }
    show([{ tone: "plain", text: `\n${await lastWords(url)}\n` }]);
    return 0;
  } finally {
    const how = await server.stop();
    await person.close();
    const words = how === "killed" ? "Cairn did not stop and was killed; its results are stored. " : "";
    show([{ tone: "dim", text: `${words}Nothing runs any more.\n` }]);
  }
}

const GREETING = `
Cairn is at {url}/, and this is a chat with it in a {title} of this machine: nothing leaves it.
  words say something · a number presses a button · /quit ends all. Try, for example:
    Find the weather in Paris and send it to me on {title}
    Create a page called Harbour and publish it
`;

function show(pieces: readonly Piece[]): void {
  if (pieces.length > 0) process.stdout.write(paint(pieces, isColoured));
}

/** One line after the other: the effect of a line is complete before the next is sent. */
async function readLines(act: (line: string) => Promise<"quit" | "on">): Promise<"quit" | "end"> {
  const reader = createInterface({ input: process.stdin, terminal: false });
  for await (const line of reader) {
    const how = await act(line).catch((error: unknown) => {
      show([{ tone: "bad", text: `${error instanceof Error ? error.message : String(error)}\n` }]);
      return "on" as const;
    });
    if (how === "quit") return "quit";
  }
  return "end";
}

/** Resolves on Ctrl-C, SIGTERM and SIGHUP. */
function untilInterrupted(): Promise<"asked"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve("asked"));
  });
}

async function codeOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/links`, { method: "POST", signal: AbortSignal.timeout(ASK_MS_MAX) });
  if (answer.status !== 201)
    throw new Error(`Cairn gave no code to link with (${answer.status}): ${await answer.text()}`);
  return z.object({ code: z.string() }).parse(await answer.json()).code;
}

const sessions = z.object({
  items: z.array(
    z.object({ id: z.string(), title: z.string(), status: z.enum(["idle", "running", "waiting"]) }),
  ),
});
type Session = z.infer<typeof sessions>["items"][number];

/** Sessions that are not at rest; null when Cairn does not answer. */
async function atWork(url: string): Promise<readonly Session[] | null> {
  try {
    const answer = await fetch(`${url}/api/sessions?limit=50`, { signal: AbortSignal.timeout(ASK_MS_MAX) });
    return sessions.parse(await answer.json()).items.filter(({ status }) => status !== "idle");
  } catch {
    return null;
  }
}

/** After the last line of a pipe: waits until all work has ended or waits for a person. */
async function settled(url: string, interrupted: Promise<"asked">): Promise<void> {
  const until = Date.now() + SETTLE_MS_MAX;
  const stop = new AbortController();
  void interrupted.then(() => stop.abort());
  // Idle twice in a row: a message sent a moment ago may not be in the list yet.
  for (let rests = 0; rests < 2 && !stop.signal.aborted && Date.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const busy = await atWork(url);
    rests = busy === null || busy.every(({ status }) => status === "waiting") ? rests + 1 : 0;
  }
}

/** Explains what happens to unfinished work. */
async function lastWords(url: string): Promise<string> {
  const left = await atWork(url);
  if (left === null)
    return "Cairn did not report whether something is still running. Its results are stored.";
  if (left.length === 0) return "Nothing was running.";
  const lines = left.map(({ title, id, status }) =>
    status === "waiting"
      ? `- "${title || id}" waits for a person. Decide on the page after \`npm start\`.`
      : `- "${title || id}" was running. It continues with the next \`npm start\`; this chat is gone, so read its answer on the page.`,
  );
  return ["Still open:", ...lines].join("\n");
}

await runCommand(parseDemoOptions(process.argv.slice(2)), DEMO_USAGE, async (options) =>
  process.exit(
    await demo(options).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      return 1;
    }),
  ),
);
