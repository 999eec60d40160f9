import { clientCallOf } from "../../core/entries/client-call.ts";
import { digestOf } from "../../core/log/digest.ts";
import { asKind, type BodyOf, type Entry } from "../../core/log/entry.ts";
import { toJson } from "../../core/log/json.ts";
import { runId, runOf } from "../../core/log/names.ts";
import { err, ok } from "../../core/log/result.ts";
import { OBSERVATION_CHARS_MAX } from "../../core/limits.ts";
import type { ToolOutcome } from "../../core/log/tool.ts";
import type { ClientResult } from "../../protocol/client-tools.ts";
import { shownResult } from "../../protocol/stream/call-chunks.ts";
import type { Engine } from "../engine/engine.ts";
import type { WakeModule } from "../engine/wake-module.ts";
import type { Transaction } from "../engine/transaction.ts";
import {
  CLIENT_CALL_ANSWERED,
  CLIENT_CALL_OVER,
  CLIENT_OUTPUT_TOO_LARGE,
  NO_CLIENT_CALL,
} from "../api/errors.ts";
import type { Actor, ApiError, ApiResult, ClientOutput } from "../api/session-api.ts";

export interface TakeOutput {
  readonly session: string;
  readonly engine: Engine;
  readonly module: WakeModule;
  readonly entriesOf: (run: string) => readonly Entry[];
}

/**
 * Takes the answer of a client to a call that waits for it, inside a transaction; the run that goes on. Null: the call has
 * this very answer already. Refuses one that is too large (413 `output_too_large`, the call still waits), another answer than
 * the first (409 `already_answered`), one to a call that waits no more (409 `not_waiting`), and one to a call that no client
 * was asked for (404 `not_found`).
 */
export function takeOutput(
  tx: Transaction,
  { session, engine, module, entriesOf }: TakeOutput,
  actor: Actor,
  { call, result }: ClientOutput,
): ApiResult<{ readonly runId: string } | null> {
  const { run } = tx.state;
  if (run === null || clientCallOf(run, tx.at)?.call !== call) return knownAnswer(entriesOf, call, result);
  if (result.kind === "too_large") return err(CLIENT_OUTPUT_TOO_LARGE);
  const { subject, via } = actor;
  engine.answerClient(module, tx, {
    call,
    digest: digestOfResult(result),
    actor: subject,
    via,
    request: null,
    outcome: outcomeOf(result),
  });
  return ok({ runId: runId(session, run.run) });
}

/** An answer to a call that does not wait: null where it is the one that the call has. */
function knownAnswer(
  entriesOf: TakeOutput["entriesOf"],
  call: string,
  result: ClientResult,
): ApiResult<null> {
  const { isKnown, answered, settled } = findCall(entriesOf, call);
  if (!isKnown) return err(NO_CLIENT_CALL);
  return isSame(result, answered, settled) ? ok(null) : err(overFault(answered));
}

const overFault = (answered: BodyOf<"client_answered"> | null): ApiError =>
  answered === null || answered.expired ? CLIENT_CALL_OVER : CLIENT_CALL_ANSWERED;

/** A client gives back what it has sent, or what the stream has put in its place. */
function isSame(
  result: ClientResult,
  answered: BodyOf<"client_answered"> | null,
  settled: Entry<"call_settled"> | null,
): boolean {
  if (result.kind === "too_large") return false;
  const digest = digestOfResult(result);
  if (answered?.digest === digest) return true;
  if (settled === null) return false;
  const shown = shownResult(settled);
  return (
    digest ===
    digestOfResult(
      "errorText" in shown
        ? { kind: "error", text: shown.errorText }
        : { kind: "output", value: shown.output },
    )
  );
}

function findCall(entriesOf: TakeOutput["entriesOf"], call: string) {
  const run = runOf(call);
  const entries =
    run === null ? [] : entriesOf(run).filter(({ body }) => "call" in body && body.call === call);
  const last = <Kind extends Entry["kind"]>(kind: Kind): Entry<Kind> | null => {
    const entry = entries.findLast((one) => one.kind === kind);
    return entry === undefined ? null : asKind(entry, kind);
  };
  return {
    isKnown: last("client_asked") !== null,
    answered: last("client_answered")?.body ?? null,
    settled: last("call_settled"),
  };
}

const digestOfResult = (result: Exclude<ClientResult, { kind: "too_large" }>): string =>
  digestOf(toJson(result));

function outcomeOf(result: Exclude<ClientResult, { kind: "too_large" }>): ToolOutcome {
  if (result.kind === "output")
    return {
      kind: "ok",
      text: JSON.stringify(result.value),
      showMax: OBSERVATION_CHARS_MAX,
      entities: [],
      ms: 0,
    };
  const failure = {
    class: "internal",
    code: "client_error",
    message: result.text,
    retryable: false,
  } as const;
  return { kind: "failed", failure, lost: false, ms: 0 };
}
