import { abortAllDurableObjects } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { MOMENTS, type Moment } from "./moments.ts";
import { createOutside, outsideOf } from "./outside.ts";
import { disk, expectSound, left, say, stands } from "./session.ts";

/**
 * The object dies at every moment of a run, and the run ends by itself. All sessions are brought to their moments, all of
 * them die at once, and each is then left alone: what became of it is seen by what its own wakes leave behind.
 */

const sessionOf = ({ name }: Moment): string => name.replaceAll(/\W+/g, "-");
let diedAt = 0;
/** what went wrong on the way to a moment or after it, by session */
const faults = new Map<string, unknown>();

async function noted(session: string, act: Promise<void>): Promise<void> {
  await act.catch((error: unknown) => void faults.set(session, error));
}

async function arrive(moment: Moment): Promise<void> {
  const session = sessionOf(moment);
  createOutside(session, moment.lines, moment.at);
  if (moment.arrive !== undefined) return moment.arrive(session);
  await say(session);
  await stands(session);
}

beforeAll(async () => {
  // An alarm that is only late goes off by itself, so those sessions come last: nothing waits for a slower one any more.
  for (const moments of [
    MOMENTS.filter(({ last }) => last === undefined),
    MOMENTS.filter(({ last }) => last !== undefined),
  ])
    await Promise.all(moments.map((moment) => noted(sessionOf(moment), arrive(moment))));
  for (const moment of MOMENTS) {
    if (moment.last !== undefined) {
      const newest = (await disk(sessionOf(moment))).log.at(-1)?.kind;
      if (newest !== moment.last) faults.set(sessionOf(moment), `it had gone on to ${newest}`);
    }
  }
  diedAt = Date.now();
  await abortAllDurableObjects();
  const people = MOMENTS.flatMap(({ after, ...moment }) =>
    after === undefined ? [] : [{ ...moment, after }],
  );
  await Promise.all(people.map((moment) => noted(sessionOf(moment), moment.after(sessionOf(moment)))));
});

describe("an object that dies", () => {
  test.each(MOMENTS)("$name", async (moment) => {
    const session = sessionOf(moment);
    expect(faults.get(session)).toBeUndefined();
    await left(session, "run_ended", moment.log.filter((kind) => kind === "run_ended").length);
    const log = await expectSound(session);
    expect(log.map((entry) => entry.kind)).toEqual(["user_message", "run_queued", ...moment.log]);
    await moment.check?.(outsideOf(session), log, session);
  });

  test("is found missing by its recovery alarm, which was armed with the effect", async () => {
    const lost = await Promise.all(
      MOMENTS.filter(({ log }) => log.includes("attempt_lost")).map(async (moment) => {
        const { log } = await disk(sessionOf(moment));
        return log.find((entry) => entry.kind === "attempt_lost")?.at ?? Infinity;
      }),
    );
    const waits = lost.map((at) => at - diedAt).sort((a, b) => a - b);
    console.log(`found missing after ${waits[0]} to ${waits.at(-1)} ms, in ${waits.length} sessions`);
    expect(waits.at(-1)).toBeLessThan(15_000);
  });

  test("works on at the next message as if nothing had been", async () => {
    const session = sessionOf(MOMENTS.at(-1)!);
    await say(session, "m2");
    await left(session, "run_ended", 2);
    const log = await expectSound(session);
    expect(log.filter((entry) => entry.kind === "answer").map((entry) => entry.run)).toEqual(["r1", "r2"]);
  });
});
