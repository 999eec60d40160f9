import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import { asks, calls, childOf, ROOT, says, type Parts } from "./scripts.ts";
import type { TreeScript, World } from "./world.ts";

/** Runs that are worked several times side by side. */

export const attempt = (n: number): string => childOf(ROOT, `r1s1c${n}`);

export function of<Kind extends EntryKind>(
  world: World,
  session: string,
  kind: Kind,
): readonly Entry<Kind>[] {
  return world.session(session).log.flatMap((entry) => asKind(entry, kind) ?? []);
}

/** The first step asks no model: whatever stands there for the root is never said. */
export const UNASKED = { text: "I was never asked." };

export const worked = (rollouts: number, parts: Parts, more = {}): TreeScript => ({
  name: `a run that is worked ${rollouts} times`,
  says: says(parts),
  deeds: [asks("m1", { profile: "complex", rollouts, ...more })],
  // Crashes decide which attempt reports first.
  ends: "by chance",
  rule: ATTEMPTS,
});

export const ATTEMPTS = "a run that is worked several times makes one answer of its attempts";

/** Nobody answers: it waits until it is stopped. */
export const WAITS: Parts[string] = [calls(["ask_human", { question: "Which of them?" }])];
export const SAYS = (text: string): Parts[string] => [{ text }];

function faultsOf(world: World, { stopped }: { readonly stopped: readonly string[] }): string[] {
  const asked = of(world, ROOT, "model_replied").flatMap(({ body }) => body.calls);
  const offered = of(world, ROOT, "step_started").filter(
    ({ body }) => body.attempts === undefined && body.patch?.toolChoice !== "none",
  );
  const told = of(world, ROOT, "child_stopped").map(({ body }) => body.call);
  const said = of(world, ROOT, "answer").map(({ body }) => body.text);
  return [
    ...(asked.length === 4 ? [] : [`${asked.length} attempts were started, not 4`]),
    ...(offered.length === 0 ? [] : ["the step behind the attempts has tools"]),
    ...(told.toSorted().join() === stopped.join() ? [] : [`stopped: ${told.join()}`]),
    ...(said.length === 1 && said[0] === ANSWER ? [] : [`it said ${said.join(" / ")}`]),
  ];
}

const ANSWER = "It is 2,104 m high. Two attempts were stopped, because the others agree.";

export const ATTEMPT_SCRIPTS: readonly TreeScript[] = [
  {
    ...worked(4, {
      [ROOT]: [UNASKED, { text: ANSWER }],
      [attempt(0)]: SAYS("**2,104 m**"),
      [attempt(1)]: SAYS("2,104 m."),
      [attempt(2)]: WAITS,
      [attempt(3)]: WAITS,
    }),
    name: "four attempts, two of which agree",
    wrong: (world) => faultsOf(world, { stopped: ["r1s1c2", "r1s1c3"] }),
  },
];
