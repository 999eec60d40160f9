import { readFile } from "node:fs/promises";
import { paint } from "../chat/screen/ansi.ts";
import { holds, replay } from "./fold.ts";
import { parseLog } from "./log.ts";
import { parseReplayOptions, REPLAY_USAGE, type ReplayOptions } from "./options.ts";
import { runCommand } from "../start/start-options.ts";
import { isSqlite, readSessionFile } from "./session-file.ts";
import { checkTrace } from "./trace.ts";
import { viewReplay, viewTrace } from "./view.ts";

/** `npm run replay`: the log of a session, folded again. Reads one file and nothing else. */

const EXIT = { holds: 0, differs: 1 } as const;

async function run(options: ReplayOptions): Promise<number> {
  // With --state, standard output is the state and nothing else.
  const print = (lines: readonly string[]): void => {
    // A log is from outside: nothing in it may steer the terminal.
    const text = paint([{ tone: "plain", text: lines.join("\n") }], false);
    if (options.state) console.error(text);
    else console.log(text);
  };
  let bytes: Uint8Array;
  try {
    bytes = await readFile(options.file);
  } catch (error) {
    console.error(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.differs;
  }
  const opened = isSqlite(bytes) ? readSessionFile(options.file) : parseLog(new TextDecoder().decode(bytes));
  if (opened.kind === "trace") {
    const verdict = checkTrace(opened.lines);
    print(viewTrace(verdict));
    return verdict.fault === null ? EXIT.holds : EXIT.differs;
  }
  const replayed = opened.kind === "log" ? replay(opened, options.at) : opened;
  if (replayed.kind === "problem") {
    console.error(paint([{ tone: "plain", text: replayed.problem }], false));
    return EXIT.differs;
  }
  print(viewReplay(replayed, options.at));
  if (options.state) console.log(JSON.stringify(replayed.state, null, 2));
  return holds(replayed) ? EXIT.holds : EXIT.differs;
}

await runCommand(parseReplayOptions(process.argv.slice(2)), REPLAY_USAGE, run);
