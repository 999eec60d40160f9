import type { JsonObject } from "../../cairn/core/log/json.ts";
import type { Conversation, Outcome } from "../../cairn/models/script/conversation.ts";
import { isAt, listAt } from "../../cairn/models/script/fields.ts";
import { isDenied, read, reasonOf, write, type Plan, type Tools } from "./plan.ts";
import { memoryLines, readMemory, type MemoryEntry } from "./situation.ts";
import type { KnownPage, Site } from "./site.ts";
import type { Slots } from "./text/slots.ts";

/** A part of the answer: done, read, to know, failed, or a question to the person. */
export type Report = readonly [kind: "done" | "info" | "note" | "failed" | "question", text: string];

/** Everything that the requests of one message share. Computed from the conversation alone, so each reply computes the same. */
export interface Context {
  readonly tools: Tools;
  readonly memory: readonly MemoryEntry[];
  /** true if the last answer listed several pages: then "it" is none of them */
  readonly hasListed: boolean;
  readonly reports: Report[];
  readonly report: (...report: Report) => void;
  site: Site | null;
  /** the pages of the last request; empty when they could not be made */
  subject: readonly KnownPage[] | null;
  /** IDs of images of the library, once listed */
  library: readonly string[] | null;
  /** true if the last write went into a change set */
  isCollecting: boolean;
  /** pages whose publishing failed in this run */
  readonly unpublished: Set<string>;
}

/** Carries out a request: reads, calls and reports. */
export type Action = (context: Context, slots: Slots) => Plan<void>;

/** A line of a list of pages (answers.ts). */
const PAGE_LINE = /^- "(.+)" \(([^()\s]+)\), (?:published|draft|unpublished)/gmu;

export function createContext({ tools, calls, situation, note, earlier }: Conversation): Context {
  // Tools of earlier calls are included so that their results are read again. When no tool is offered any more, all are:
  // then the first missing call is where the run stopped.
  const names = new Set([...tools, ...calls.map(({ name }) => name)]);
  const reports: Report[] = [];
  const last = earlier.findLast(({ role }) => role === "assistant")?.text ?? "";
  return {
    tools: { has: (name) => tools.size === 0 || names.has(name), failures: new Map(), lastRead: null },
    // "It" refers to the memory from before this run's own changes.
    memory: readMemory(note ?? memoryLines(situation)),
    hasListed: (last.match(PAGE_LINE) ?? []).length > 1,
    reports,
    report: (...report) => void reports.push(report),
    site: null,
    subject: null,
    library: null,
    isCollecting: false,
    unpublished: new Set(),
  };
}

/** The value of a call; null when it failed, which is reported. `act` names the call: "publish the page". */
export function valueOf({ report }: Context, outcome: Outcome, act: string): JsonObject | null {
  if (outcome.ok) return outcome.value;
  const reason = reasonOf(outcome.error);
  if (isDenied(outcome.error))
    report("failed", `I did not ${act}: it was not approved (${reason}), so I left it as it was.`);
  else if (outcome.error.code === "unknown_outcome")
    report("failed", `I do not know whether I could ${act}. Please look at it before asking again.`);
  else report("failed", `I could not ${act}: ${reason}.`);
  return null;
}

/** A write; null when it failed or changed nothing, which is reported. */
export function* change(
  context: Context,
  act: string,
  tool: string,
  input: JsonObject,
): Plan<JsonObject | null> {
  const done = valueOf(context, yield* write(context.tools, `I will ${act}.`, tool, input), act);
  const note = listAt(done, "notes").find(
    (one) => typeof one === "string" && one.startsWith("In the change set"),
  );
  context.isCollecting = note !== undefined;
  if (typeof note === "string") context.report("note", note);
  if (!isAt(done, "unchanged")) return done;
  context.report("info", `I did not have to ${act}: it was like this already.`);
  return null;
}

/** A read; null when it failed, which is reported. */
export function* look(
  context: Context,
  act: string,
  tool: string,
  input: JsonObject,
): Plan<JsonObject | null> {
  return valueOf(context, yield* read(context.tools, `I will ${act}.`, tool, input), act);
}
