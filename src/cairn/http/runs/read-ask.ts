import { readRunId } from "../../core/log/names.ts";
import { RUN_AGENT } from "../../core/family/ask.ts";
import { BUILTIN_PACK } from "../../core/loop/internal-tools.ts";
import { digestOf } from "../../core/log/digest.ts";
import { err, ok } from "../../core/log/result.ts";
import type { PreviousRun } from "../../core/log/run-spec.ts";
import { invalidSpec, modelFault, readMessageFields } from "../../session/commands/run-options.ts";
import type { Actor, ApiResult, SendCommand } from "../../session/api/session-api.ts";
import type { RunOptions } from "../../protocol/run-spec/run-options.ts";
import { ownNames, type Models } from "../../config/config.ts";
import type { Issue } from "../../protocol/issues.ts";
import { parseRunRequest, type KnownNames, type ParsedRun } from "../../protocol/run-spec/parse.ts";
import type { Deps } from "../deps.ts";

/** The run that a program asks for, looked up against what this deployment has. */

type Parts = Pick<Deps, "tools" | "agents" | "sessions" | "loadTools">;

export interface ReadAsk {
  readonly request: ParsedRun;
  readonly ask: RunOptions;
}

/** The specification as the session takes it; 422 `invalid_run` with all that is wrong with it and can be known here. */
export async function readAsk(
  actor: Actor,
  body: unknown,
  parts: Parts,
  models: Models,
  traceId: string,
): Promise<ApiResult<ReadAsk>> {
  const parsed = parseRunRequest(body, await knownNames(parts, models));
  const issues: Issue[] = parsed.ok ? [] : [...parsed.issues];
  const previousId = parsed.ok ? parsed.request.previousRunId : parsed.previousRunId;
  const previous = previousId === null ? null : await readPrevious(actor, previousId, parts, issues);
  if (!parsed.ok || issues.length > 0) return err(invalidSpec(issues));
  const { request, warnings } = parsed;
  const ask: RunOptions = {
    ...request.options,
    ...(previous === null ? {} : { previous }),
    traceId,
    warnings,
  };
  return ok({ request, ask });
}

/** The run that a message asks for: the part of `SendCommand` that its fields make. */
type MessageSpec = Pick<SendCommand, "ask" | "named"> & Pick<Partial<SendCommand>, "digest">;

/** The fields of a run that came with a message; 422 `invalid_run`. `parts`: of the message, for its digest. */
export async function readMessageSpec(
  actor: Actor,
  fields: { readonly [name: string]: unknown },
  deps: Parts & Pick<Deps, "config">,
  message: Pick<SendCommand, "parts">,
): Promise<ApiResult<MessageSpec>> {
  const named = Object.keys(fields);
  if (named.length === 0) return ok({ ask: {}, named });
  const read = readMessageFields(fields, deps.config.models, await knownNames(deps, deps.config.models));
  if (!read.ok) return read;
  const { ask, previousRunId } = read.value;
  const issues: Issue[] = [];
  const previous = previousRunId === null ? null : await readPrevious(actor, previousRunId, deps, issues);
  if (issues.length > 0) return err(invalidSpec(issues, "message"));
  return ok({
    ask: { ...ask, ...(previous === null ? {} : { previous }) },
    named,
    digest: digestOf({ parts: message.parts, fields }),
  });
}

async function knownNames({ tools, agents, loadTools }: Parts, models: Models | null): Promise<KnownNames> {
  await loadTools?.();
  const offered = tools();
  const cards = offered.cards().filter((card) => card.gate !== "deny");
  return {
    agents: await agents.names(),
    packs: [...new Set(cards.map(({ pack }) => pack))].filter((pack) => pack !== BUILTIN_PACK),
    tools: [...cards.map(({ name }) => name), RUN_AGENT],
    ownModels: models === null ? [] : ownNames(models),
    modelFault: (model) => (models === null ? null : modelFault(model, models)),
    unavailable: Object.fromEntries(offered.notOffered().map(({ tool, why }) => [tool, why])),
  };
}

async function readPrevious(
  actor: Actor,
  runId: string,
  { sessions }: Parts,
  issues: Issue[],
): Promise<PreviousRun | null> {
  const path = "previous_run_id";
  const session = readRunId(runId)?.session;
  const found = session === undefined ? null : await sessions(session).recap(actor, runId);
  if (found?.ok === true) return found.value;
  const isLive = found?.error.code === "run_active";
  issues.push(
    isLive
      ? { path, code: "previous_run_active", message: `The run ${runId} has not ended yet.` }
      : { path, code: "previous_run_not_found", message: `There is no run ${runId}.` },
  );
  return null;
}
