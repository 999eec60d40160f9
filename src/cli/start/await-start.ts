import { cpuTimeOf } from "./cpu-time.ts";
import { LOOK_MS, lookAgain, NO_PROGRESS_YET, stillSeconds, waitingLine } from "./progress.ts";

/** A program that is being waited for. */
export interface Starting {
  /** its process group */
  readonly group: number;
  /** lines printed so far */
  lines(): number;
  /** the step it is at, for a person: "building the page" */
  step(): string;
}

/** The wait came to an end without its event; `reason` is a sentence. */
export interface GivenUp {
  readonly reason: string;
}

/**
 * Waits for `event` as long as the program makes progress, and prints the current step every ten seconds. Without
 * `mostMs` there is no other limit.
 */
export async function awaitStart<Value>(
  event: Promise<Value>,
  starting: Starting,
  print: (line: string) => void = () => {},
  mostMs = Infinity,
): Promise<Value | GivenUp> {
  const began = Date.now();
  let progress = NO_PROGRESS_YET;
  let timer: NodeJS.Timeout | undefined;
  const gaveUp = new Promise<GivenUp>((resolve) => {
    timer = setInterval(() => {
      const look = lookAgain(progress, { lines: starting.lines(), cpuMs: cpuTimeOf(starting.group) });
      progress = look.progress;
      const waitedMs = Date.now() - began;
      if (look.verdict === "stalled")
        resolve({ reason: `No progress for ${stillSeconds(progress)} s: ${starting.step()}.` });
      else if (waitedMs > mostMs)
        resolve({ reason: `Not up after ${Math.round(waitedMs / 1_000)} s: ${starting.step()}.` });
      else if (look.verdict === "say") print(waitingLine(Math.round(waitedMs / 1_000), starting.step()));
    }, LOOK_MS);
  });
  try {
    return await Promise.race([event, gaveUp]);
  } finally {
    clearInterval(timer);
  }
}
