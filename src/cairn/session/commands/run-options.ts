import { digestOf } from "../../core/log/digest.ts";
import { parseModelName } from "../../core/log/model.ts";
import { err, ok, type Result } from "../../core/log/result.ts";
import { modelAllowed, modelGap, ownNames, type Models } from "../../config/config.ts";
import { listIssues, type Issue } from "../../protocol/issues.ts";
import { NOTHING_KNOWN, parseRunRequest, type KnownNames } from "../../protocol/run-spec/parse.ts";
import { refusal, type ApiError, type SendCommand } from "../api/session-api.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";

/** The fields of a run that came with a message, and the refusals of a specification. */

/** Why a model may not be named here; null where this deployment allows it and can call it. */
export function modelFault(text: string, models: Models): string | null {
  const name = parseModelName(text, ownNames(models));
  if (name !== null && modelAllowed(models, name) && modelGap(models, name) === null) return null;
  return `${text} may not be named here. MODELS_ALLOWED lists the models that may.`;
}

/** 422 `invalid_run` with every issue. `what`: the input that was refused. */
export function invalidSpec(issues: readonly Issue[], what: "run" | "message" = "run"): ApiError {
  const [first] = issues;
  const more = issues.length > 1 ? ` ${issues.length} things are wrong with it.` : "";
  const path = first === undefined || first.path === "" ? "" : ` ${first.path}:`;
  const message = `The ${what} was not accepted.${more}${path} ${first?.message ?? ""}`;
  return {
    ...refusal(422, "invalid_run", message, "The issues say what to change."),
    issues: listIssues(issues),
  };
}

/** The words of a message are no part of its specification, which needs an objective. */
const ANY_OBJECTIVE = "-";

export interface MessageAsk {
  readonly ask: RunOptions;
  /** full id of a run that the caller has to look up; null where the message names none */
  readonly previousRunId: string | null;
}

/**
 * The fields of a run that came with a message, validated as those of `POST /api/runs` are: 422 `invalid_run`.
 * `known`: the names of the deployment, where the caller has them; the session checks them again.
 */
export function readMessageFields(
  fields: { readonly [name: string]: unknown },
  models: Models | null,
  known: KnownNames = NOTHING_KNOWN,
): Result<MessageAsk, ApiError> {
  if (Object.keys(fields).length === 0) return ok({ ask: {}, previousRunId: null });
  const names =
    models === null
      ? known
      : {
          ...known,
          ownModels: ownNames(models),
          modelFault: (name: string) => modelFault(name, models),
        };
  const parsed = parseRunRequest({ ...fields, objective: ANY_OBJECTIVE }, names);
  if (!parsed.ok) return err(invalidSpec(parsed.issues, "message"));
  const { request, warnings } = parsed;
  const ask = { ...request.options, ...(warnings.length === 0 ? {} : { warnings }) };
  return ok({ ask, previousRunId: request.previousRunId });
}

/** The run that the fields of a frame ask for. A frame cannot look into other sessions: 422 `invalid_run`. */
export function specOfMessage(
  fields: { readonly [name: string]: unknown },
  { parts, models }: { readonly parts: SendCommand["parts"]; readonly models: Models | null },
): Result<Pick<SendCommand, "ask" | "named" | "digest">, ApiError> {
  const named = Object.keys(fields);
  if (named.length === 0) return ok({ ask: {} });
  const read = readMessageFields(fields, models);
  if (!read.ok) return read;
  const { ask, previousRunId } = read.value;
  if (previousRunId !== null) return err(invalidSpec([NO_PREVIOUS], "message"));
  return ok({ ask, named, digest: digestOf({ parts, fields }) });
}

const NO_PREVIOUS: Issue = {
  path: "previous_run_id",
  code: "not_supported",
  message: "A socket cannot name the run of another session: POST the message, or the run.",
};

/** 422 `invalid_run`: a message that reaches a run which was accepted before cannot change what that run may do. */
export function joinsRefused(fields: readonly string[], mode: "join" | "answer"): ApiError {
  const why =
    mode === "join"
      ? "The message joins the live run, which goes on as it was accepted."
      : "The message answers the question of the live run, which goes on as it was accepted.";
  const issues = fields.map((path) => ({ path, code: "not_supported", message: why }));
  const { hint: _hint, ...error } = invalidSpec(issues, "message");
  return { ...error, hint: "Send it without these fields, or with mode queue or replace." };
}
