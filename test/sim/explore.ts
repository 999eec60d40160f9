import { isDeepStrictEqual } from "node:util";
import { Crash } from "./disk.ts";
import type { World } from "./world.ts";

/** One scripted conversation: how the world is made, and what people do whenever it comes to rest. */
export interface Script {
  readonly name: string;
  readonly world: () => World;
  /** called at rest until it returns false */
  readonly people: (world: World, turn: number) => boolean;
}

export interface Explored {
  readonly schedules: number;
  readonly faults: readonly { readonly crashes: readonly number[]; readonly fault: string }[];
}

/** Every schedule of up to two crashes at the crossings of the script: each run, and its invariants checked. */
export async function explore(script: Script, crashesMax: 1 | 2): Promise<Explored> {
  const faults: { crashes: readonly number[]; fault: string }[] = [];
  let schedules = 0;
  const run = async (crashes: readonly number[]): Promise<number> => {
    const { world, crossings } = await play(script, crashes);
    schedules++;
    for (const fault of check(world)) faults.push({ crashes, fault });
    return crossings;
  };
  const straight = await run([]);
  for (let first = 1; first <= straight; first++) {
    const crossings = await run([first]);
    if (crashesMax === 2)
      for (let second = first + 1; second <= crossings; second++) await run([first, second]);
  }
  return { schedules, faults };
}

/** Plays the script; the isolate dies at the given crossings (from 1, counted over all its lives). */
export async function play(
  script: Script,
  crashes: readonly number[],
): Promise<{ world: World; crossings: number }> {
  const world = script.world();
  let crossings = 0;
  let dead = false;
  world.cross = () => {
    if (dead) throw new Crash();
    crossings++;
    if (!crashes.includes(crossings)) return;
    dead = true;
    throw new Crash();
  };
  /** Whatever is asked of a dead isolate fails; then a new one stands up, and the sender asks again. */
  const alive = async (body: () => void | boolean | Promise<void>): Promise<boolean> => {
    for (;;) {
      try {
        const result = await body();
        if (!dead) return result !== false;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      dead = false;
      world.restart();
    }
  };
  for (let turn = 0; ; turn++) {
    if (!(await alive(() => script.people(world, turn)))) break;
    await alive(() => world.settle());
  }
  return { world, crossings };
}

/** What always holds (loop 3), by name. */
export function check(world: World): string[] {
  const { log, state } = world;
  const faults: string[] = [];
  const hold = (name: string, holds: boolean): void => void (holds || faults.push(name));
  const named = (kind: string, of: (entry: (typeof log)[number]) => string | null): string[] =>
    log.filter((entry) => entry.kind === kind).flatMap((entry) => of(entry) ?? []);
  const queued = named("run_queued", (entry) => entry.run);
  const ended = named("run_ended", (entry) => entry.run);
  hold("every run ends exactly once", isDeepStrictEqual([...queued].sort(), [...ended].sort()));
  hold("state equals the fold of the log", isDeepStrictEqual(state, world.folded));
  hold(
    "seq has no gap",
    log.every((entry, index) => entry.seq === index + 1),
  );
  hold("an idle session has no alarm", state.run !== null || world.disk.alarm === null);
  const calls = log.flatMap((entry) =>
    entry.kind === "model_replied" ? entry.body.calls.map((call) => call.call) : [],
  );
  const settled = log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.call] : []));
  hold("every call has exactly one result", isDeepStrictEqual([...calls].sort(), [...settled].sort()));
  hold("a once tool runs at most once", new Set(world.effects.once).size === world.effects.once.length);
  const intended = log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.call] : []));
  hold(
    "intent precedes every effect",
    [...world.effects.once, ...[...world.effects.keyed.keys()].map((key) => key.slice(4))].every((call) =>
      intended.includes(call),
    ),
  );
  for (const [index, entry] of log.entries()) {
    if (entry.kind !== "call_intended" || entry.body.tool !== "publish") continue;
    const yes = log
      .slice(0, index)
      .some(
        (row) =>
          row.kind === "approval_decided" &&
          row.body.call === entry.body.call &&
          row.body.decision === "approve",
      );
    hold("a decision precedes a gated call", yes);
  }
  const seqs = world.published.map((entry) => entry.seq);
  hold(
    "nothing is published twice or out of order",
    seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0)),
  );
  hold(
    "what was published is on disk",
    world.published.every((entry) => isDeepStrictEqual(log[entry.seq - 1], entry)),
  );
  for (const request of world.requests) {
    const asked = request.messages.flatMap((message) =>
      message.role === "assistant"
        ? message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
        : [],
    );
    const answered = request.messages.flatMap((message) =>
      message.role === "tool" ? message.results.map((result) => result.call) : [],
    );
    hold("no prompt shows a call without its result", isDeepStrictEqual(asked, answered));
  }
  return [...new Set(faults)];
}
