import { paint } from "../chat/screen/ansi.ts";
import { Stopped } from "../site/client.ts";
import { runCommand } from "../start/start-options.ts";
import { parseRolloutOptions, ROLLOUTS_USAGE, type RolloutOptions } from "./options.ts";
import { runRollouts } from "./run-rollouts.ts";

/** `npm run rollouts`: questions of a file, each asked several times, and how often the answer was right. */

const EXIT = { done: 0, stopped: 1, interrupted: 130 } as const;

// Questions and answers are from outside: nothing in them may steer the terminal.
const safe = (text: string): string => paint([{ tone: "plain", text }], false);

async function run(options: RolloutOptions): Promise<number> {
  const interrupted = new AbortController();
  process.once("SIGINT", () => {
    console.error("Stopping. Finished results are in the file; run the same command again to continue.");
    interrupted.abort();
  });
  try {
    await runRollouts(options, (line) => console.log(safe(line)), interrupted.signal);
    return EXIT.done;
  } catch (error) {
    if (interrupted.signal.aborted) return EXIT.interrupted;
    // A full disk, for example.
    const isKnown = error instanceof Stopped || (error instanceof Error && "code" in error);
    if (!isKnown) throw error;
    console.error(safe(error.message));
    return EXIT.stopped;
  }
}

await runCommand(parseRolloutOptions(process.argv.slice(2), process.env), ROLLOUTS_USAGE, run);
