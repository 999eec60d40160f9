import type { Mutant } from "../mutants.ts";
import { ATTEMPTS } from "./attempts.ts";

/** Known faults of runs that start others. */

const AMOUNTS = "src/cairn/core/guards/budget/amounts.ts";
const CHILDREN = "src/cairn/core/state/run/children.ts";
const TREE = "src/cairn/core/family/tree.ts";
const SHARE = "src/cairn/core/family/share.ts";
const SAFETY = "src/cairn/core/state/safety.ts";
const ANSWER = "src/cairn/core/loop/answer.ts";
const FINISH = "src/cairn/core/loop/finish.ts";
const DOOR = "src/cairn/session/commands/family-service.ts";
const FAMILY = "src/cairn/session/family/family.ts";
const RELATIVES = "src/cairn/session/family/family-members.ts";
const ROLLOUTS = "src/cairn/core/family/rollouts.ts";
const BEGIN = "src/cairn/session/engine/family/attempts.ts";
const RESOLVE = "src/cairn/session/runs/resolve-child.ts";

const ONCE = "a child reports once to its call";
const SUM = "the budgets of a tree add up";
const FITS = "what is set aside for children and what is used fit into a run";
const WITHIN = "a child may do no more than its parent";
const STOPS = "a stop reaches all that is below";
const ENDS = "every run of a tree ends, and nobody waits for what is over";
const HEARD = "a run that has answered has heard all that it has started";

const ALONE = "one child that looks";
const LATER = "a child that nobody waits for";
const SEVERAL = "children that nobody waits for";
const STOPPED = "a stop of the root while its children wait";
const READ = "what a child has read outside";
const ONE_TOOL = "a child that is given one tool";
const ALLOWED = "a child of a run whose writing";
const CHAIN = "a chain of three";
const AGREE = "four attempts, two of which agree";

const mutant = (
  name: string,
  script: string,
  caught: string,
  ...edits: readonly (readonly [file: string, find: string, replace: string])[]
): Mutant => ({ name, edits, caught, script, tree: true });

export const FAMILY_MUTANTS: readonly Mutant[] = [
  mutant("what was set aside for a child is given away again", SEVERAL, FITS, [
    AMOUNTS,
    "open: children.open.reduce((sum, { share }) => addAmounts(sum, entryOf(share)), NO_AMOUNTS),",
    "open: NO_AMOUNTS,",
  ]),
  mutant("a report that comes twice is taken twice", LATER, ONCE, [
    CHILDREN,
    "open: children.open.filter((one) => one.call !== call),",
    "open: children.open,",
  ]),
  mutant("what children have cost is nobody's cost", ALONE, SUM, [
    TREE,
    "usage: addUsage(usage, below.usage),",
    "usage,",
  ]),
  mutant("a child tells less than it has used", ALONE, SUM, [
    TREE,
    "used: tree?.used ?? NO_AMOUNT,",
    "used: NO_AMOUNT,",
  ]),
  mutant(
    "a child answers, and its parent hears nothing of it",
    ALONE,
    "a report says what the child came to",
    [TREE, "answer: startOf(text, CHILD_ANSWER_CHARS_MAX).toWellFormed(),", 'answer: "",'],
  ),
  mutant("a child has more than its share", ALONE, "no child is given more than its share, nor uses more", [
    RESOLVE,
    "budget: { profile: null, limits, mayRaise: false },",
    "budget: { profile: null, limits: { ...limits, steps: limits.steps * 2 }, mayRaise: true },",
  ]),
  mutant(
    "a run at the deepest level starts others",
    CHAIN,
    "no tree is deeper, wider or larger than it may be",
    [SHARE, 'if (depthOf(run) >= CHILD_DEPTH_MAX) return refuse("too_deep", TOO_DEEP);', ""],
    [SHARE, "if (depth >= CHILD_DEPTH_MAX) return 0;", ""],
    [
      RESOLVE,
      "(depth >= CHILD_DEPTH_MAX || tools?.includes(RUN_AGENT) !== true)",
      "tools?.includes(RUN_AGENT) !== true",
    ],
  ),
  mutant("a child has every tool of its parent, whatever it is given", ONE_TOOL, WITHIN, [
    RESOLVE,
    "return isListed(tools, name, pack) && isListed(requested, name, pack) ? [name] : [];",
    "return isListed(tools, name, pack) ? [name] : [];",
  ]),
  mutant("what is asked for in the parent is not asked for in its child", ALLOWED, WITHIN, [
    RESOLVE,
    "gates: strictestGates(above.gates, spec.gates),",
    "gates: spec.gates,",
  ]),
  mutant("one yes is enough in a child", ALLOWED, WITHIN, [
    RESOLVE,
    "votes: strictestVotes(above.votes, spec.votes),",
    "votes: spec.votes,",
  ]),
  mutant("others than those of the parent decide in its child", ALLOWED, WITHIN, [
    RESOLVE,
    "...(request.approvers === undefined ? {} : { approvers: request.approvers }),",
    "",
  ]),
  mutant("a child belongs to nobody", ALONE, "a child belongs to whoever its root belongs to", [
    DOOR,
    "...newMeta({ subject: owner,",
    '...newMeta({ subject: "nobody",',
  ]),
  mutant("a report brings no taint", READ, "nothing reaches outside unasked after a child has read there", [
    SAFETY,
    "return withTaint(safety, join(safety.taint, relativeTaint(entry.seq, entry.body.child, entry.body)));",
    "return safety;",
  ]),
  mutant("a child does not tell what it has read", READ, "what a child has read its parent has read", [
    TREE,
    "tainted: tree?.tainted === true,",
    "tainted: false,",
  ]),
  mutant("a run answers before it has heard its children", LATER, HEARD, [
    ANSWER,
    "if (!awaits(children) && !isUnread) return null;",
    "return null;",
  ]),
  mutant(
    "a stop ends a run and nothing below it",
    STOPPED,
    STOPS,
    [FINISH, "const below = stopChildren(run, step);", "const below: ReturnType<typeof stopChildren> = [];"],
    [RELATIVES, 'if (run === entry.run && (at === "starting" || at === "working"))', "if (false)"],
  ),
  mutant(
    "a report that is lost is not sent again, and nobody asks for it",
    ALONE,
    ENDS,
    [
      RELATIVES,
      'this.#set(entry.body.child, "working", entry.body.pollAt);',
      'this.#set(entry.body.child, "working", null);',
    ],
    [FAMILY, "if (engine.rearm(() => members.failed(member, clock()))) return;", ""],
  ),
  mutant(
    "a report that comes before its call is known to wait is lost, and nobody asks for it",
    ALONE,
    ENDS,
    [
      RELATIVES,
      'this.#set(entry.body.child, "working", entry.body.pollAt);',
      'this.#set(entry.body.child, "working", null);',
    ],
    [DOOR, 'return ok({ taken: "later" as const });', "return ok({ taken: false });"],
  ),
  mutant("a start that comes after its stop begins", "a stop of the root while its word", STOPS, [
    DOOR,
    "if (store.seen(STOPPED, keyText(parent)) !== null) return err(NOT_FOUND);",
    "",
  ]),
  mutant("attempts go on although two of them agree", AGREE, ATTEMPTS, [
    ROLLOUTS,
    "if (rolloutsOf(specOf(entries)) < 2 || open.length === 0) return [];",
    "if (rolloutsOf(specOf(entries)) > 0 || open.length === 0) return [];",
  ]),
  mutant("the step behind the attempts may call tools", AGREE, ATTEMPTS, [
    ROLLOUTS,
    'toolChoice: "none",',
    'toolChoice: "auto",',
  ]),
  mutant("every step starts the attempts again", AGREE, ATTEMPTS, [BEGIN, "n === 1 &&", "n >= 1 &&"]),
];
