import { randomUUID } from "node:crypto";
import { Stopped, type SiteClient } from "../site/client.ts";
import { endedRun, runSchema, type Run } from "./ended-run.ts";
import { callsIn, eventsSchema, messagesOf, type Event } from "./messages.ts";
import type { RolloutOptions } from "./options.ts";
import { sendQuestionFiles } from "./question-files.ts";
import type { Question } from "./questions.ts";
import type { Row, Termination } from "./rows.ts";

/** One rollout: a run in a new session up to its end, and its row. */

const EVENTS_MAX = 1_000;
/** for a person's decision, because there is no person */
const UNWATCHED_MS = 1_000;

const TERMINATION: Readonly<Record<NonNullable<Run["outcome"]>, Termination>> = {
  answered: "answer",
  partial: "partial",
  failed: "failed",
  cancelled: "cancelled",
};

export type RolloutRequest = Pick<
  RolloutOptions,
  "agent" | "preset" | "model" | "tools" | "citations" | "minutes"
> & {
  /** in which the files of the questions are */
  readonly folder: string;
};

/**
 * Returns an ungraded row. A question that Cairn refuses (422) has a row too. Throws `Stopped` if Cairn is
 * unreachable or refuses access, and the reason of the signal when it fires: the run is stopped then.
 */
export async function work(
  client: SiteClient,
  question: Question,
  rollout: number,
  request: RolloutRequest,
  signal: AbortSignal,
): Promise<Row> {
  const began = await start(client, question, request);
  if (typeof began === "string")
    return rowOf(question, rollout, { ...NOTHING, termination: "refused", reason: began });
  const { run, isLate } = await endedRun(client, began, request.minutes * 60_000, signal);
  const events = await eventsOf(client, run);
  return rowOf(question, rollout, {
    prediction: run.answer ?? "",
    termination: isLate ? "timed_out" : TERMINATION[run.outcome ?? "failed"],
    reason: run.outcome === "answered" ? null : run.reason,
    messages: messagesOf(question.question, events),
    tool_calls: callsIn(events),
    seconds: Math.round((Date.parse(run.endedAt ?? run.createdAt) - Date.parse(run.createdAt)) / 100) / 10,
    run: run.id,
  });
}

type Came = Omit<Row, "question" | "answer" | "id" | "rollout" | "correct" | "judge" | "judged">;
const NOTHING: Omit<Came, "termination" | "reason"> = {
  prediction: "",
  messages: [],
  tool_calls: 0,
  seconds: 0,
  run: null,
};

function rowOf({ question, answer, id }: Question, rollout: number, came: Came): Row {
  const { prediction, termination, messages, ...more } = came;
  return { question, answer, prediction, termination, messages, id, rollout, correct: null, ...more };
}

/** The run, or why it was refused. A question with files has its session before its run. */
async function start(
  client: SiteClient,
  { question, files }: Question,
  { agent, preset, model, tools, citations, folder }: RolloutRequest,
): Promise<Run | string> {
  const session = `rollout-${randomUUID()}`;
  const sent = await sendQuestionFiles(client, session, files, folder);
  if (typeof sent === "string") return sent;
  try {
    return await client.ask("/api/runs?async=true", runSchema, {
      method: "POST",
      // An answer that was lost on its way is asked for again, and begins no second run.
      headers: { "idempotency-key": randomUUID() },
      json: {
        // Braces in a question are words.
        objective: "{{input.question}}",
        input: { question },
        ...(sent.length === 0 ? {} : { session_id: session, files: sent }),
        ...(agent === null ? {} : { agent }),
        ...(preset === null ? {} : { preset }),
        ...(model === null ? {} : { model }),
        ...(tools === null ? {} : { tools }),
        ...(citations === null ? {} : { citations }),
        human: { expires_ms: UNWATCHED_MS, default: "go_on" },
        approval: { expires_ms: UNWATCHED_MS, on_expiry: "deny" },
      },
    });
  } catch (error) {
    if (error instanceof Stopped && error.code === "invalid_run" && !isAboutOptions(error))
      return error.message;
    throw error;
  }
}

/** True for a refusal of the command's options, which would refuse every question. */
const isAboutOptions = ({ message }: Stopped): boolean =>
  /\b(?:agent|preset|model|tools(?:\[\d+\])?):/.test(message);

async function eventsOf(
  client: SiteClient,
  { id, sessionId, firstSeq, lastSeq }: Run,
): Promise<readonly Event[]> {
  const own = id.slice(sessionId.length + 1);
  const events: Event[] = [];
  for (let after = firstSeq - 1; after < lastSeq;) {
    const path = `/api/sessions/${sessionId}/events?after=${after}&limit=${EVENTS_MAX}`;
    const { items, more } = await client.ask(path, eventsSchema);
    events.push(...items.filter(({ run }) => run === own));
    after = items.at(-1)?.seq ?? lastSeq;
    if (!more) break;
  }
  return events;
}
