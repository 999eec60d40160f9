import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import type { Line } from "../platform/fake-model.ts";
import {
  asks,
  call,
  calls,
  childOf,
  decides,
  hands,
  LARGE,
  LONG,
  person,
  ROOT,
  says,
  waitsTooLong,
} from "./scripts.ts";
import type { TreeDeed, TreeScript, World } from "./world.ts";

/**
 * Approvals inside of children, as a matrix: what is decided × how deep × one child or several at once. Each row is a tree
 * that is played with a crash at each of its places; what must come of it is said here by hand.
 */

export const DECISIONS = ["approve", "edit", "deny", "expire", "k of n"] as const;
export type Decided = (typeof DECISIONS)[number];
export const DEPTHS = [1, 2, 3] as const;
export const WIDTHS = ["one", "several at once"] as const;

/** Expected outcome of one leaf's approval. */
interface Expected {
  readonly leaf: string;
  readonly decision: "approve" | "edit" | "deny" | "expired";
  /** what was published; null: nothing */
  readonly done: string | null;
}

export interface MatrixRow extends TreeScript {
  readonly decided: Decided;
  readonly depth: number;
}

/** Sessions from below the root to the leaf: each hands its work on by the first call of its first step. */
function pathTo(branch: number, depth: number): readonly string[] {
  const first = childOf(ROOT, `r1s1c${branch}`);
  const path = [first];
  while (path.length < depth) path.push(childOf(path.at(-1) ?? first, "r1s1c0"));
  return path;
}

const leafOf = (branch: number, depth: number): string => pathTo(branch, depth).at(-1) ?? "";

/** The tree of a row: its leaves publish, each something of its own, and report. */
function partsOf(names: readonly string[], depth: number): Record<string, readonly Line[]> {
  const parts: Record<string, readonly Line[]> = {
    [ROOT]: [calls(...names.map((name) => hands(`${LARGE} Publish ${name}.`)))],
  };
  names.forEach((name, branch) => {
    for (const session of pathTo(branch, depth).slice(0, -1))
      parts[session] = [calls(hands(`${LARGE} Publish ${name}.`))];
    parts[leafOf(branch, depth)] = [call("publish", name)];
  });
  return parts;
}

/** Actions that people take on one leaf. */
function deedsFor(decided: Decided, leaf: string, edited: string): readonly TreeDeed[] {
  if (decided === "expire") return [waitsTooLong(leaf)];
  if (decided === "k of n")
    return [decides(leaf, "approve"), decides(leaf, "approve", { who: person("bob"), as: `${leaf} bob` })];
  return [decides(leaf, decided, decided === "edit" ? { args: { name: edited } } : {})];
}

const resultOf = (decided: Decided): Expected["decision"] =>
  decided === "expire" ? "expired" : decided === "k of n" ? "approve" : decided;

const doneOf = (decided: Decided, name: string, edited: string): string | null =>
  decided === "edit" ? edited : decided === "approve" || decided === "k of n" ? name : null;

function of<Kind extends EntryKind>(world: World, session: string, kind: Kind): readonly Entry<Kind>[] {
  return world.has(session) ? world.session(session).log.flatMap((entry) => asKind(entry, kind) ?? []) : [];
}

/** None dropped, none misrouted, none decided twice: told apart by what each leaf has published. */
function wrongWith(world: World, expected: readonly Expected[]): readonly string[] {
  return expected.flatMap(({ leaf, decision, done }) => {
    const asked = of(world, leaf, "approval_requested");
    const decided = of(world, leaf, "approval_decided");
    const settled = of(world, leaf, "call_settled").filter(({ body }) => body.tool === "publish");
    const published = settled.flatMap(({ body }) =>
      body.status === "ok" ? [/"published":"(\w+)"/.exec(body.observation)?.[1] ?? "?"] : [],
    );
    const ended = of(world, leaf, "run_ended")
      .map(({ body }) => body.class)
      .join();
    const reported = world.names
      .flatMap((name) => of(world, name, "child_reported"))
      .filter(({ body }) => body.child === leaf);
    const faults: string[] = [];
    if (asked.length !== 1) faults.push(`asked ${asked.length} times`);
    if (decided.length === 0) faults.push("dropped");
    if (decided.length > 1) faults.push("decided twice");
    if (decided.some(({ body }) => body.decision !== decision)) faults.push("misrouted");
    if (published.join() !== (done ?? "")) faults.push(`published ${published.join() || "nothing"}`);
    if (world.has(leaf) && world.session(leaf).effects.keyed.size !== (done === null ? 0 : 1))
      faults.push("its effect");
    // A run goes on after a yes, and after a no.
    if (!/^(answered|partial)$/.test(ended)) faults.push(`ended ${ended}`);
    if (reported.length !== 1) faults.push(`reported ${reported.length} times`);
    return faults.map((fault) => `${leaf}: ${fault}`);
  });
}

/** The other branch is decided otherwise, so that nothing can be taken for the other. */
const OTHER: Readonly<Record<Decided, Decided>> = {
  approve: "deny",
  edit: "approve",
  deny: "approve",
  expire: "approve",
  "k of n": "deny",
};

/** The large ones have many places that are alike: `npm run sim -- --tree` goes through them all. */
function everyOf(depth: number, branches: number): number {
  if (depth === 3) return branches > 1 ? 5 : 3;
  return depth === 2 && branches > 1 ? 3 : 1;
}

function rowOf(name: string, decided: Decided, depth: number, names: readonly string[]): MatrixRow {
  const plans = names.map((publishes, branch) => {
    const how = branch === 0 ? decided : OTHER[decided];
    const leaf = leafOf(branch, depth);
    const edited = `${publishes}2`;
    return { how, leaf, edited, publishes };
  });
  // The other one first: what comes for one branch must not end the wait of the other.
  const deeds = plans.toReversed().flatMap(({ how, leaf, edited }) => deedsFor(how, leaf, edited));
  const expected = plans.map(({ how, leaf, edited, publishes }) => ({
    leaf,
    decision: resultOf(how),
    done: doneOf(how, publishes, edited),
  }));
  return {
    name,
    decided,
    depth,
    says: says(partsOf(names, depth)),
    deeds: [asks("m1", LONG), ...deeds],
    ...(decided === "k of n"
      ? {
          prepare: (platform) => {
            platform.approvals = { publish: { needed: 2, approvers: ["owner", "bob"] } };
          },
        }
      : {}),
    wrong: (world) => wrongWith(world, expected),
    every: everyOf(depth, names.length),
  };
}

/** Every decision at every depth, of one child and of several at once. */
export const MATRIX: readonly MatrixRow[] = DECISIONS.flatMap((decided) =>
  DEPTHS.flatMap((depth) =>
    WIDTHS.map((width) =>
      rowOf(`${decided}, at depth ${depth}, ${width}`, decided, depth, width === "one" ? ["a"] : ["a", "b"]),
    ),
  ),
);

/** Bugs in other projects, each with the tree that reproduces it. */
export const PEERS: readonly MatrixRow[] = [
  rowOf(
    "openai-agents-js #680: after a yes to a tool of a nested agent the tool does not run, and the outer run ends",
    "approve",
    2,
    ["a"],
  ),
  rowOf(
    "openai-agents-js #243: a tool of an agent that is a tool asks, and whoever started the run sees no question",
    "approve",
    1,
    ["a"],
  ),
  rowOf("deepagents #554: inside a subagent a yes works, an edit does not", "edit", 1, ["a"]),
  rowOf("deepagents #554: inside a subagent a yes works, a no does not", "deny", 1, ["a"]),
  rowOf(
    "langgraphjs #1298 (its text was not found): an approval inside a subagent is lost when it is taken up again",
    "approve",
    3,
    ["a"],
  ),
  rowOf(
    "mastra #24736 (its text was not found): of two subagents that ask at once one is lost or takes the other's answer",
    "approve",
    1,
    ["a", "b"],
  ),
  rowOf("auxilia #301: a tool of a subagent that needs a yes runs without one", "deny", 2, ["a", "b"]),
];
