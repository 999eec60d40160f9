import { sha256Hex } from "./log/digest.ts";
import type { BodyOf, Entry } from "./log/entry.ts";
import { unfence } from "./text/untrusted.ts";
import { canonicalJson, type Json, type JsonObject } from "./log/json.ts";
import { runId } from "./log/names.ts";
import { hideFields } from "./text/redact.ts";

/**
 * The reasoning trace: one record per step of a run, derived from its entries. Hyphen's seven fields first,
 * then what Cairn adds. Nothing here is stored, so it is always what the log says. Where `promptOf` knows the request that a
 * step sent to the model, the record has it as `request`.
 */
export function traceRun(
  session: string,
  rows: readonly Entry[],
  promptOf: (step: string) => JsonObject | null = () => null,
): JsonObject[] {
  const started = rows.find((row) => row.kind === "run_started");
  const steps = [
    ...new Set(rows.flatMap((row) => (row.kind === "step_started" && row.step !== null ? [row.step] : []))),
  ];
  return steps.map((step, index) => {
    const request = promptOf(step);
    const traced = record(session, rows, started ?? null, step, index + 1);
    return request === null ? traced : { ...traced, request };
  });
}

/** The trace as JSON lines: a `run` line, one line per step, an `end` line; each hash covers the line and the hash before it. */
export function traceLines(
  session: string,
  rows: readonly Entry[],
  promptOf?: (step: string) => JsonObject | null,
): string[] {
  const started = rows.find((row) => row.kind === "run_started");
  const queued = rows.find((row) => row.kind === "run_queued");
  const ended = rows.find((row) => row.kind === "run_ended");
  const answer = rows.findLast((row) => row.kind === "answer");
  const name = started?.run ?? queued?.run ?? "";
  const objects: JsonObject[] = [
    {
      line: "run",
      run: runId(session, name),
      ...(queued?.kind === "run_queued" ? { requester: queued.body.actor, source: queued.body.source } : {}),
      ...(started?.kind === "run_started" ? { started: plain(started.body) } : {}),
    },
    ...traceRun(session, rows, promptOf).map((step) => ({ line: "step", ...step })),
    {
      line: "end",
      run: runId(session, name),
      outcome: ended?.kind === "run_ended" ? ended.body.outcome : null,
      answer: answer?.kind === "answer" ? answer.body.text : null,
      usage: ended?.kind === "run_ended" ? plain(ended.body.usage) : null,
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
  try {
    const value = JSON.parse(line) as Json;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}

function record(
  session: string,
  all: readonly Entry[],
  started: Entry | null,
  step: string,
  iteration: number,
): JsonObject {
  const rows = all.filter((row) => row.step === step);
  const opened = rows.find((row) => row.kind === "step_started");
  const replied = rows.findLast((row) => row.kind === "model_replied");
  const reply = replied?.kind === "model_replied" ? replied.body : null;
  const text = (type: "text" | "reasoning"): string =>
    (reply?.parts ?? []).map((part) => (part.type === type ? part.text : "")).join("");
  const calls = (reply?.calls ?? []).map((call) => callRecord(rows, call));
  const [first] = calls;
  const verdicts = rows.flatMap((row) => (row.kind === "review" ? [row.body] : []));
  const verdict = verdicts.at(-1);
  // What fired before the first step belongs to no step yet.
  const before = iteration === 1 ? all.filter((row) => row.step === null && row.run === opened?.run) : [];
  const planned = rows.findLast((row) => row.kind === "plan_changed");
  const summed = rows.findLast((row) => row.kind === "compacted");
  const begun = opened?.kind === "step_started" ? opened.body : null;
  const run = started?.kind === "run_started" ? started.body : null;
  const count = (kind: Entry["kind"], of: (row: Entry) => boolean = () => true): number =>
    rows.filter((row) => row.kind === kind && of(row)).length;
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
    text: text("text"),
    calls,
    finish: reply?.finish ?? null,
    model: reply?.model ?? begun?.model ?? null,
    dialect: run?.dialect ?? null,
    harness: run?.harness ?? null,
    prompt_digest: begun?.promptDigest ?? run?.prompt ?? null,
    prompt_chars: begun?.promptChars ?? null,
    prompt_tokens: begun?.promptTokens ?? null,
    prompt_sections: begun === null ? null : plain(begun.size),
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
    cost_usd: reply?.usage.cost === undefined ? null : reply.usage.cost / 1e6,
    latency_ms: reply?.ms ?? null,
    first_token_ms: reply?.firstTokenMs ?? null,
    attempts: (reply?.attempt ?? 0) || count("model_failed") + count("attempt_lost", isModel),
    lost: count("attempt_lost"),
    retries: rows.flatMap((row) =>
      row.kind === "model_failed"
        ? [{ class: row.body.class, message: row.body.message, then: row.body.then }]
        : [],
    ),
    guards: [...before, ...rows].flatMap((row) =>
      row.kind === "verdict"
        ? [{ code: row.body.code, rule: row.body.rule, act: row.body.act, hint: row.body.hint }]
        : [],
    ),
    plan: planned?.kind === "plan_changed" ? plain(planned.body) : null,
    compacted: summed?.kind === "compacted" ? plain(summed.body) : null,
    // An answer that went out for want of a better one keeps what was said against it.
    verdict:
      verdict === undefined
        ? null
        : { accept: verdict.accept, codes: [...new Set(verdicts.flatMap(({ codes }) => codes))] },
    memory: rows.flatMap((row) => (row.kind === "memory_changed" ? (plain(row.body.changes) as Json[]) : [])),
    seq_from: rows[0]?.seq ?? 0,
    seq_to: rows.at(-1)?.seq ?? 0,
  };
}

const isModel = (row: Entry): boolean => row.kind === "attempt_lost" && row.body.what === "model";

function callRecord(rows: readonly Entry[], call: BodyOf<"model_replied">["calls"][number]): JsonObject {
  const settled = rows.find((row) => row.kind === "call_settled" && row.body.call === call.call);
  const asked = rows.findLast((row) => row.kind === "approval_requested" && row.body.call === call.call);
  const decided = rows.findLast((row) => row.kind === "approval_decided" && row.body.call === call.call);
  const votes = rows.flatMap((row): JsonObject[] => {
    if (row.kind !== "approval_voted" || row.body.call !== call.call) return [];
    const { decision, actor, via, reason, args } = row.body;
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
    error: result?.failure == null ? null : plain(result.failure),
    attempt: result?.attempt ?? 0,
    ms: result?.ms ?? null,
    approval:
      asked?.kind !== "approval_requested"
        ? null
        : {
            id: asked.body.approval,
            title: asked.body.title,
            digest: asked.body.digest,
            ...(asked.body.policy === undefined ? {} : { policy: asked.body.policy }),
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
function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
