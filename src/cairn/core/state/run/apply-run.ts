import type { Entry } from "../../log/entry.ts";
import { changeLoop } from "../apply-loop-memory.ts";
import { changePlan } from "../plan.ts";
import { changeSafety } from "../safety.ts";
import type { EndedRun, LiveRun } from "../state.ts";
import { changeChildren } from "./children.ts";
import { changePhase } from "./apply-phase.ts";
import { changeFailures } from "./failures.ts";
import { changeInput } from "./input.ts";
import { changeModels } from "./models.ts";
import { changeOutput } from "./output.ts";
import { changeUsed } from "./used.ts";

/** Applies an entry to one part of a run. `run` is the state before the entry; `ended` are the earlier runs. */
type Change<Part> = (part: Part, entry: Entry, run: LiveRun, ended: readonly EndedRun[]) => Part;

type Part = Exclude<keyof LiveRun, "run" | "work" | "policy" | "startedAt" | "firstSeq">;

/** The phase comes first: it throws PhaseError where such an entry cannot be. */
const PARTS: { readonly [Name in Part]: Change<LiveRun[Name]> } = {
  phase: changePhase,
  step: (step, entry) => (entry.kind === "step_started" ? entry.body.n : step),
  request: (request, entry) =>
    (entry.kind === "human_answered" || entry.kind === "client_answered") && entry.body.request !== null
      ? { ...request, request: entry.body.request }
      : request,
  limits: changeLimits,
  profile: (profile, entry) => (entry.kind === "verdict" ? (entry.body.profile ?? profile) : profile),
  input: changeInput,
  output: changeOutput,
  models: changeModels,
  used: changeUsed,
  failures: changeFailures,
  loop: changeLoop,
  plan: changePlan,
  safety: changeSafety,
  children: changeChildren,
  cancel: changeCancel,
};

const NAMES = Object.keys(PARTS) as readonly Part[];

/** The run after one of its entries, and the very same run where nothing of it changes. */
export function changeRun(run: LiveRun, entry: Entry, ended: readonly EndedRun[]): LiveRun {
  return NAMES.reduce((next, name) => {
    const part = changePart(name, entry, run, ended);
    return part === run[name] ? next : { ...next, [name]: part };
  }, run);
}

function changePart<Name extends Part>(
  name: Name,
  entry: Entry,
  run: LiveRun,
  ended: readonly EndedRun[],
): LiveRun[Name] {
  return PARTS[name](run[name], entry, run, ended);
}

/** More by a guard, or by a person. */
function changeLimits(limits: LiveRun["limits"], entry: Entry): LiveRun["limits"] {
  return entry.kind === "verdict" || entry.kind === "command_queued" ? (entry.body.limits ?? limits) : limits;
}

/** The first stop applies. */
function changeCancel(cancel: LiveRun["cancel"], entry: Entry): LiveRun["cancel"] {
  if (entry.kind !== "command_queued" || entry.body.command !== "cancel" || cancel !== null) return cancel;
  const { actor, reason, superseded } = entry.body;
  return { actor, reason, superseded };
}
