import { sha256Hex } from "./log/digest.ts";
import type { BodyOf, Entry } from "./log/entry.ts";
import { unfence } from "./text/untrusted.ts";
import { readJson, isObject, canonicalJson, type Json, type JsonObject } from "./log/json.ts";
import { runId } from "./log/names.ts";
import { hideFields } from "./text/redact.ts";

/**
 * The reasoning trace: one record per step of a run, derived from its entries. Hyphen's seven fields first, then
 * Cairn's additions. Nothing here is stored, so it always matches the log. If `promptOf` knows the request that a step
 * sent to the model, the record has it as `request`.
 */
export function traceRun(
  session: string,
  entries: readonly Entry[],
  promptOf: (step: string) => JsonObject | null = () => null,
): JsonObject[] {
  const started = entries.find((entry) => entry.kind === "run_started");
  const steps = [
    ...new Set(
      entries.flatMap((entry) => (entry.kind === "step_started" && entry.step !== null ? [entry.step] : [])),
    ),
  ];
  return steps.map((step, index) => {
    const request = promptOf(step);
    const traced = record(session, entries, started ?? null, step, index + 1);
    return request === null ? traced : { ...traced, request };
  });
}

/** The trace as JSON lines: a `run` line, one line per step, an `end` line; each hash covers the line and the hash before it. */
export function traceLines(
  session: string,
  entries: readonly Entry[],
  promptOf?: (step: string) => JsonObject | null,
): string[] {
  const started = entries.find((entry) => entry.kind === "run_started");
  const queued = entries.find((entry) => entry.kind === "run_queued");
  const ended = entries.find((entry) => entry.kind === "run_ended");
  const answer = entries.findLast((entry) => entry.kind === "answer");
  const name = started?.run ?? queued?.run ?? "";
  const objects: JsonObject[] = [
    {
      line: "run",
      run: runId(session, name),
      ...(queued?.kind === "run_queued"
        ? {
            requester: queued.body.actor,
            source: queued.body.source,
            trace_id: queued.body.spec.traceId,
          }
        : {}),
      ...(started?.kind === "run_started" ? { started: toPlainJson(started.body) } : {}),
    },
    ...traceRun(session, entries, promptOf).map((step) => ({ line: "step", ...step })),
    {
      line: "end",
      run: runId(session, name),
      outcome: ended?.kind === "run_ended" ? ended.body.outcome : null,
      answer: answer?.kind === "answer" ? answer.body.text : null,
      usage: ended?.kind === "run_ended" ? toPlainJson(ended.body.usage) : null,
    },
  ];
  let seal = "";
  return objects.map((object) => {
    seal = sha256Hex(seal + canonicalJson(object));
    return JSON.stringify({ ...object, hash: seal });
  });
}

/**
 * The number of the first line, from 1, that is not what was exported or does not follow the line before it; null when
 * there is none. A line that is no JSON object is such a line.
 */
export function findBrokenLine(lines: readonly string[]): number | null {
  let seal = "";
  const index = lines.findIndex((line) => {
    const object = parseObject(line);
    if (object === null) return true;
    const { hash, ...rest } = object;
    seal = sha256Hex(seal + canonicalJson(rest));
    return seal !== hash;
  });
  return index < 0 ? null : index + 1;
}

function parseObject(line: string): JsonObject | null {
  const value = readJson(line, Infinity);
  return isObject(value) ? value : null;
}

function record(
  session: string,
  all: readonly Entry[],
  started: Entry | null,
  step: string,
  iteration: number,
): JsonObject {
  const entries = all.filter((entry) => entry.step === step);
  const opened = entries.find((entry) => entry.kind === "step_started");
  const replied = entries.findLast((entry) => entry.kind === "model_replied");
  const reply = replied?.kind === "model_replied" ? replied.body : null;
  const text = (type: "text" | "reasoning"): string =>
    (reply?.parts ?? []).map((part) => (part.type === type ? part.text : "")).join("");
  const calls = (reply?.calls ?? []).map((call) => callRecord(entries, call));
  const [first] = calls;
  const verdicts = entries.flatMap((entry) => (entry.kind === "review" ? [entry.body] : []));
  const verdict = verdicts.at(-1);
  // Verdicts before the first step belong to no step.
  const before =
    iteration === 1 ? all.filter((entry) => entry.step === null && entry.run === opened?.run) : [];
  const planned = entries.findLast((entry) => entry.kind === "plan_changed");
  const summed = entries.findLast((entry) => entry.kind === "compacted");
  const begun = opened?.kind === "step_started" ? opened.body : null;
  const run = started?.kind === "run_started" ? started.body : null;
  const count = (kind: Entry["kind"], of: (entry: Entry) => boolean = () => true): number =>
    entries.filter((entry) => entry.kind === kind && of(entry)).length;
  return {
    iteration,
    timestamp: new Date(opened?.at ?? 0).toISOString(),
    thought: text("reasoning") || (calls.length > 0 ? text("text") : ""),
    action: first?.["tool"] ?? null,
    action_input: first?.["input"] ?? null,
    observation: first?.["observation"] ?? null,
    success: reply !== null && calls.every((call) => call["status"] === "ok"),
    run: runId(session, opened?.run ?? ""),
    step,
    purpose: begun?.purpose ?? null,
    messages: messagesOf(all, opened?.seq ?? 0),
    text: text("text"),
    calls,
    finish: reply?.finish ?? null,
    model: reply?.model ?? begun?.model ?? null,
    dialect: begun === null ? null : (reply?.parse?.dialect ?? begun.dialect ?? "native"),
    parse: reply?.parse === undefined ? null : { repairs: reply.parse.repairs, faults: reply.parse.faults },
    harness: run?.harness ?? null,
    prompt_digest: begun?.promptDigest ?? run?.prompt ?? null,
    prompt_chars: begun?.promptChars ?? null,
    prompt_tokens: begun?.promptTokens ?? null,
    prompt_sections: begun === null ? null : toPlainJson(begun.size),
    tokens:
      reply === null
        ? null
        : {
            input: reply.usage.inputTokens,
            cached: reply.usage.cachedInputTokens,
            output: reply.usage.outputTokens,
            reasoning: reply.usage.reasoningTokens,
            estimated: reply.usage.estimated,
          },
    cost_usd: reply === null || reply.usage.cost === null ? null : reply.usage.cost / 1e6,
    latency_ms: reply?.ms ?? null,
    first_token_ms: reply?.firstTokenMs ?? null,
    attempts: (reply?.attempt ?? 0) || count("model_failed") + count("attempt_lost", isModel),
    lost: count("attempt_lost"),
    retries: entries.flatMap((entry) =>
      entry.kind === "model_failed"
        ? [{ class: entry.body.class, message: entry.body.message, then: entry.body.then }]
        : [],
    ),
    guards: [...before, ...entries].flatMap((entry) =>
      entry.kind === "verdict"
        ? [{ code: entry.body.code, rule: entry.body.rule, act: entry.body.act, hint: entry.body.hint }]
        : [],
    ),
    progress: entries.flatMap((entry) =>
      entry.kind === "progress_noted" ? [{ text: entry.body.text, percent: entry.body.percent }] : [],
    ),
    plan: planned?.kind === "plan_changed" ? toPlainJson(planned.body) : null,
    compacted: summed?.kind === "compacted" ? toPlainJson(summed.body) : null,
    // An answer that was accepted for want of a better one has the objections against it.
    verdict:
      verdict === undefined
        ? null
        : { accept: verdict.accept, codes: [...new Set(verdicts.flatMap(({ codes }) => codes))] },
    memory: entries.flatMap((entry) =>
      entry.kind === "memory_changed" || entry.kind === "call_settled"
        ? (toPlainJson(entry.body.changes ?? []) as Json[])
        : [],
    ),
    seq_from: entries[0]?.seq ?? 0,
    seq_to: entries.at(-1)?.seq ?? 0,
  };
}

/** Returns the messages that a step is the first to read, each with the ID of its request. */
function messagesOf(all: readonly Entry[], opened: number): Json[] {
  const before = all.findLast((entry) => entry.kind === "step_started" && entry.seq < opened)?.seq ?? 0;
  return all.flatMap((entry): JsonObject[] => {
    if (entry.seq <= before || entry.seq >= opened) return [];
    if (entry.kind === "run_queued") return [{ id: entry.body.message, trace_id: entry.body.spec.traceId }];
    // The message that began the run is named by its `run_queued`.
    if (entry.kind !== "user_message" || entry.body.mode === "queue" || entry.body.mode === "replace")
      return [];
    return [{ id: entry.body.id, trace_id: entry.body.traceId ?? null }];
  });
}

const isModel = (entry: Entry): boolean => entry.kind === "attempt_lost" && entry.body.what === "model";

function callRecord(entries: readonly Entry[], call: BodyOf<"model_replied">["calls"][number]): JsonObject {
  const settled = entries.find((entry) => entry.kind === "call_settled" && entry.body.call === call.call);
  const request = entries.findLast(
    (entry) => entry.kind === "approval_requested" && entry.body.call === call.call,
  );
  const decided = entries.findLast(
    (entry) => entry.kind === "approval_decided" && entry.body.call === call.call,
  );
  const votes = entries.flatMap((entry): JsonObject[] => {
    if (entry.kind !== "approval_voted" || entry.body.call !== call.call) return [];
    const { decision, actor, via, reason, args } = entry.body;
    return [{ decision, actor, via, reason, args: hideFields(args) }];
  });
  const result = settled?.kind === "call_settled" ? settled.body : null;
  return {
    id: call.call,
    tool: call.tool,
    input: hideFields(call.input),
    class: call.effect,
    status: result?.status ?? null,
    observation: result?.observation ?? null,
    chars: result?.chars ?? null,
    cut: result !== null && result.chars !== unfence(result.observation).length,
    error: result?.failure == null ? null : toPlainJson(result.failure),
    attempt: result?.attempt ?? 0,
    ms: result?.ms ?? null,
    ...(result?.logs === undefined ? {} : { logs: result.logs }),
    approval:
      request?.kind !== "approval_requested"
        ? null
        : {
            id: request.body.approval,
            title: request.body.title,
            digest: request.body.digest,
            ...(request.body.policy === undefined ? {} : { policy: request.body.policy }),
            ...(votes.length === 0 ? {} : { votes }),
            ...(decided?.kind === "approval_decided"
              ? {
                  decision: decided.body.decision,
                  actor: decided.body.actor,
                  via: decided.body.via,
                  reason: decided.body.reason,
                  args: hideFields(decided.body.args),
                }
              : {}),
          },
  };
}

/** An interface as the plain JSON that it is. */
function toPlainJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
