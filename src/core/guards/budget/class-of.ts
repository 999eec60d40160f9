import { outcomeClass, type Entry, type Limits } from "../../log/entry.ts";
import type { EndedRun, QueuedRun, State } from "../../state/state.ts";
import { limitsOf, rowOf } from "./amounts.ts";
import { classify, resumed, type Classified } from "./classify.ts";
import { limitsFor, PROFILES } from "./profiles.ts";
import type { Profile } from "../../state/loop-memory.ts";

/**
 * The class of a run that begins now, and its limits: what was wanted of it stands in place of the row of its class
 * (guards 2.1, 3). `said` is its input, `answer` what the last run ended with; `canResearch`: a tool reads from outside.
 */
export function classOf(
  state: State,
  queued: QueuedRun,
  { said, answer }: { readonly said: Entry | null; readonly answer: Entry | null },
  canResearch: boolean,
): { readonly classified: Classified; readonly limits: Limits } {
  const parts = said?.kind === "user_said" ? said.body.parts : [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const classified = classify({
    text,
    attachments: parts.filter((part) => part.type !== "text").length,
    explicit: queued.profile ?? null,
    resumed: resumedClass(state, text),
    open: openClass(state.ended.at(-1), answer),
    canResearch,
  });
  return { classified, limits: limitsUnder(classified.profile, queued) };
}

/** What is enforced of a run of this class. */
export function limitsUnder(profile: Profile, { limits, caps }: Pick<QueuedRun, "limits" | "caps">): Limits {
  const found = limitsFor(profile, rowOf(limits), caps === undefined ? {} : { caps: rowOf(caps) });
  // What cannot be was refused when the run was accepted; a row of a class always can.
  return limitsOf(found.ok ? found.limits : PROFILES[profile]);
}

/** A run that is named and no longer remembered was one of work. */
function resumedClass(state: State, text: string): Profile | null {
  const name = resumed(text);
  if (name === null) return null;
  const earlier = name === "last" ? state.ended.at(-1) : state.ended.find((run) => run.run === name);
  if (earlier !== undefined) return earlier.profile;
  return name !== "last" && Number(name.slice(1)) < state.runs ? "standard" : null;
}

/** A run that ended in a question, or with work left, is still open for a yes. */
function openClass(last: EndedRun | undefined, answer: Entry | null): Profile | null {
  if (last === undefined) return null;
  const asks = answer?.kind === "answer" && /[?？]\s*$/u.test(answer.body.text);
  return asks || outcomeClass(last.outcome) === "partial" ? last.profile : null;
}
