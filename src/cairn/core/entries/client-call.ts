import { CLIENT_ANSWER_MS } from "../limits.ts";
import type { ClientAnswered } from "../log/client-tool.ts";
import type { EntryDraft } from "../log/entry.ts";
import { stepName } from "../log/names.ts";
import type { Call, OpenClientCall, WaitingClient } from "../state/run/phase.ts";
import { waitLeft } from "../state/run/used.ts";
import type { LiveRun } from "../state/state.ts";
import { settleCall, unknownResult } from "./settle.ts";

/** Calls that the client of a run runs: handed over one at a time, and answered once. */

/** Hands a call to the client. `key`: its idempotency key. */
export function handOver(run: LiveRun, call: Call, key: string, at: number): EntryDraft[] {
  const address = { run: run.run, step: stepName(run.run, run.step) };
  const { call: name, tool, effect, argsDigest, attempts } = call;
  const intended = { call: name, tool, effect, argsDigest, key, attempt: attempts + 1 };
  const expiresAt = at + waitLeft(run, CLIENT_ANSWER_MS);
  return [
    { kind: "call_intended", ...address, body: intended },
    { kind: "client_asked", ...address, body: { call: name, tool, expiresAt } },
  ];
}

/** The call that a client may answer now, or null. */
export function clientCallOf(run: LiveRun | null, at: number): OpenClientCall | null {
  if (run === null || run.phase.at !== "waiting_client" || run.cancel !== null) return null;
  return at < run.phase.client.expiresAt ? run.phase.client : null;
}

/** The wait is over. The result of the call follows. */
export function clientAnswered(
  run: LiveRun,
  body: Omit<ClientAnswered, "expired"> & { readonly expired?: true },
): EntryDraft<"client_answered"> {
  const step = stepName(run.run, run.step);
  return { kind: "client_answered", run: run.run, step, body: { expired: false, ...body } };
}

/** The entries of a call that no client has answered in time. A client may have run it all the same. */
export function expireClient(run: LiveRun, { client, calls }: WaitingClient): EntryDraft[] {
  const clock = { digest: null, actor: "clock", via: "clock", request: null } as const;
  const over = clientAnswered(run, { call: client.call, expired: true, ...clock });
  const call = calls.find((item) => item.call === client.call);
  if (call === undefined) return [over];
  return [
    over,
    ...settleCall(run, calls, call, unknownResult(call.tool, "Its client did not answer in time")),
  ];
}
