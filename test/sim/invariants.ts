import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../src/core/entries.ts";
import { asKind } from "../../src/core/entries.ts";
import { digestOf } from "../../src/core/digest.ts";
import { CLAIMS_MAX, FALLBACK_CLAIMS_MIN, LOST_PER_RUN_MAX } from "../../src/core/limits.ts";
import { loadMessages } from "../../src/session/chat-log.ts";
import type { UiMessage } from "../../src/wire/ui-chunk.ts";
import type { Client } from "./client.ts";
import type { World } from "./world.ts";

/** A rule that was broken, and the plan that shows it. */
export interface Fault {
  readonly rule: string;
  readonly plan: string;
}

interface Scene {
  readonly world: World;
  readonly log: readonly Entry[];
  readonly client: Client | null;
}

type Rule = (scene: Scene) => boolean;

/** What always holds (loop 3), each by its name. A rule looks at the whole of a world at rest and says whether it does. */
export const INVARIANTS: Readonly<Record<string, Rule>> = {
  "every run ends exactly once": ({ log }) =>
    isDeepStrictEqual(
      log.flatMap((row) => (row.kind === "run_queued" ? [row.run] : [])).toSorted(),
      log.flatMap((row) => (row.kind === "run_ended" ? [row.run] : [])).toSorted(),
    ),
  "a once tool is started at most once per call": ({ world, log }) => {
    const once = new Set(proposed(log).flatMap((call) => (call.effect === "once" ? [call.call] : [])));
    const started = world.begun.filter((effect) => effect.what === "tool" && once.has(effect.effect));
    return new Set(started.map((effect) => effect.effect)).size === started.length;
  },
  "all attempts of a call carry its one key": ({ world }) => {
    const keys = new Map<string, string | null>();
    for (const { what, effect, key } of world.begun) {
      if (what !== "tool") continue;
      if (keys.has(effect) && keys.get(effect) !== key) return false;
      keys.set(effect, key);
    }
    return new Set(keys.values()).size === keys.size;
  },
  "every call has exactly one result": ({ log }) =>
    isDeepStrictEqual(
      proposed(log)
        .map((call) => call.call)
        .toSorted(),
      log.flatMap((row) => (row.kind === "call_settled" ? [row.body.call] : [])).toSorted(),
    ),
  "results stand in the order of their calls": ({ log }) => {
    const order = new Map(proposed(log).map((call, index) => [call.call, index]));
    const later = new Set(log.flatMap((row) => (row.kind === "guard_fired" ? [row.body.call] : [])));
    // What is refused at once, tried again later, or repeats another call is settled beside its turn.
    const inTurn = log.flatMap((row) =>
      row.kind === "call_settled" &&
      row.body.status !== "refused" &&
      row.body.reusedFrom === null &&
      !later.has(row.body.call)
        ? [order.get(row.body.call) ?? 0]
        : [],
    );
    return inTurn.every((place, index) => place > (inTurn[index - 1] ?? -1));
  },
  "a result that says ok has its effect": ({ world, log }) => {
    const began = new Set(world.begun.map((effect) => effect.effect));
    return log.every(
      (row) =>
        row.kind !== "call_settled" ||
        row.seq <= world.inherited ||
        row.body.status !== "ok" ||
        row.body.attempt === 0 ||
        row.body.reusedFrom !== null ||
        began.has(row.body.call),
    );
  },
  "an effect that was begun is not told as if it were not": ({ world, log }) =>
    log.every((row) => {
      if (row.kind !== "call_settled" || row.body.status !== "refused") return true;
      return !world.begun.some((effect) => effect.what === "tool" && effect.effect === row.body.call);
    }),
  "no prompt shows a call without its result, in order": ({ world }) =>
    world.requests.every((request) => {
      const asked = request.messages.flatMap((message) =>
        message.role === "assistant"
          ? message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
          : [],
      );
      const answered = request.messages.flatMap((message) =>
        message.role === "tool" ? message.results.map((result) => result.call) : [],
      );
      return isDeepStrictEqual(asked, answered);
    }),
  "the model is told of every unknown outcome": ({ world, log }) =>
    log.every((row) => {
      if (row.kind !== "call_settled" || row.body.status !== "unknown" || row.step === null) return true;
      const later = world.requests.filter(
        (request) =>
          request.step.startsWith(`${row.run}s`) && stepNumber(request.step) > stepNumber(row.step ?? ""),
      );
      return later.every((request) => JSON.stringify(request.messages).includes("unknown_outcome"));
    }),
  "an intent precedes every execution": ({ world, log }) =>
    world.begun.every(
      (effect) =>
        effect.what !== "tool" ||
        log
          .slice(0, effect.head)
          .some(
            (row) =>
              row.kind === "call_intended" &&
              row.body.call === effect.effect &&
              row.body.argsDigest === effect.args &&
              row.body.key === effect.key,
          ),
    ),
  "each execution has an intent of its own": ({ world, log }) => {
    const intended = count(log.flatMap((row) => (row.kind === "call_intended" ? [row.body.call] : [])));
    const started = count(world.begun.flatMap((effect) => (effect.what === "tool" ? [effect.effect] : [])));
    return [...started].every(([call, times]) => times <= (intended.get(call) ?? 0));
  },
  "a decision on the very arguments precedes a gated execution": ({ world, log }) =>
    world.begun.every((effect) => {
      if (effect.what !== "tool" || !GATED.has(effect.tool ?? "")) return true;
      return log.slice(0, effect.head).some((row) => {
        const decided = asKind(row, "approval_decided");
        if (decided === null || decided.body.call !== effect.effect) return false;
        if (decided.body.decision === "edit") return digestOf(decided.body.args) === effect.args;
        if (decided.body.decision !== "approve") return false;
        const asked = log.find(
          (other) => other.kind === "approval_requested" && other.body.approval === decided.body.approval,
        );
        return (
          asked?.kind === "approval_requested" &&
          digestOf(asked.body.args) === effect.args &&
          asked.body.digest === decided.body.digest
        );
      });
    }),
  "a decision never changes": ({ log }) => {
    const decided = log.flatMap((row) => (row.kind === "approval_decided" ? [row.body.approval] : []));
    return new Set(decided).size === decided.length;
  },
  "every model request is accounted for": ({ world, log }) =>
    world.begun.filter((effect) => effect.what === "model").length <=
    log.filter(
      (row) =>
        row.kind === "step_started" ||
        row.kind === "model_failed" ||
        (row.kind === "attempt_lost" && row.body.what === "model"),
    ).length,
  "no limit is passed": ({ log }) =>
    log.every((row) => {
      if (row.kind !== "run_started") return true;
      const rows = log.filter((other) => other.run === row.run);
      const calls = new Set(
        rows.flatMap((other) => (other.kind === "call_intended" ? [other.body.call] : [])),
      );
      const steps = rows.filter((other) => other.kind === "step_started").length;
      return calls.size <= row.body.limits.toolCalls && steps <= row.body.limits.steps;
    }),
  "an id changes the log once": ({ log }) => {
    const said = log.flatMap((row) => (row.kind === "user_said" ? [row.body.id] : []));
    // One command may stop several runs, in one transaction.
    const commands = log.flatMap((row) => (row.kind === "command_queued" ? [row] : []));
    const times = new Map(commands.map((row) => [row.body.id, row.at]));
    return new Set(said).size === said.length && commands.every((row) => times.get(row.body.id) === row.at);
  },
  "every accepted message is read, or visibly ended": ({ world, log }) => {
    const prompts = JSON.stringify(world.requests.map((request) => request.messages));
    return log.every((row) => {
      if (row.kind !== "user_said") return true;
      const read = row.body.parts.every(
        (part) => part.type !== "text" || prompts.includes(JSON.stringify(part.text).slice(1, -1)),
      );
      const runs = log.flatMap((other) =>
        other.run === row.run || (other.kind === "run_queued" && other.body.said === row.seq)
          ? [other.run]
          : [],
      );
      const ended = log.some(
        (other) =>
          other.kind === "run_ended" && runs.includes(other.run) && other.body.outcome !== "completed",
      );
      return read || ended || row.seq <= world.state.cleared;
    });
  },
  "a dead-man alarm stands behind every effect": ({ world }) =>
    world.begun.every((effect) => effect.what === "preview" || effect.guarded),
  "what was cut from a result can be read": ({ world, log }) =>
    log.every(
      (row) =>
        row.kind !== "call_settled" ||
        row.body.status !== "ok" ||
        row.body.reusedFrom !== null ||
        row.body.chars <= row.body.observation.length ||
        world.store.loadBlob(row.body.call) !== null,
    ),
  "state equals the fold of the log": ({ world }) => isDeepStrictEqual(world.state, world.folded),
  "seq has no gap": ({ log }) => log.every((row, index) => row.seq === index + 1),
  "time never falls": ({ log }) => log.every((row, index) => row.at >= (log[index - 1]?.at ?? 0)),
  "nothing outside the grant is executed": ({ world, log }) =>
    world.begun.every((effect) => {
      if (effect.what !== "tool") return true;
      const started = log.find(
        (row) => row.kind === "run_started" && effect.effect.startsWith(`${row.run}s`),
      );
      return (
        started?.kind === "run_started" && started.body.grant.some((grant) => grant.tool === effect.tool)
      );
    }),
  "alarms are armed later than the one being handled": ({ world }) => world.disk.stalls === 0,
  "an idle session has no alarm": ({ world }) => world.state.run !== null || world.disk.alarm === null,
  "claims of one effect are bounded": ({ log }) => {
    const lost = log.flatMap((row) =>
      row.kind === "attempt_lost" ? [`${row.body.what} ${row.body.effect}`] : [],
    );
    const most = CLAIMS_MAX.step + FALLBACK_CLAIMS_MIN;
    const perRun = count(log.flatMap((row) => (row.kind === "attempt_lost" ? [row.run ?? ""] : [])));
    return (
      [...count(lost).values()].every((times) => times <= most) &&
      [...perRun.values()].every((times) => times <= LOST_PER_RUN_MAX)
    );
  },
  // A preview only reads, and a person may ask for one at any time.
  "no effect starts once a stop has committed": ({ world }) =>
    world.begun.every((effect) => effect.what === "preview" || !effect.stopped),
  "no entry is ever changed": ({ world, log }) => {
    const rows = log.map((row) => JSON.stringify(row));
    return world.witnessed.every((row, index) => rows[index] === row);
  },
  "no draft outlives its attempt": ({ world }) => {
    const phase = world.state.run?.phase;
    const open = phase?.at === "thinking" && phase.open !== null;
    return open || world.disk.exec("SELECT 1 FROM chunks LIMIT 1").length === 0;
  },
  "no secret is in any row, frame or prompt": ({ world, client }) => {
    const places = [
      world.disk.dump(),
      JSON.stringify(world.requests),
      JSON.stringify(world.published),
      JSON.stringify(world.drafts),
      JSON.stringify(client?.events ?? []),
    ];
    return world.secrets.every(({ value }) => places.every((place) => !place.includes(value)));
  },
  "what a client shows of a run is what the log says": ({ world, client }) => {
    if (client === null) return true;
    const { items } = loadMessages(world.store, "ses", world.state.cleared, 1_000, null);
    return items.every((message) => {
      if (message.role !== "assistant") return true;
      const shown = client.message(message.id);
      return shown === null || isDeepStrictEqual(partsOf(shown), partsOf(message));
    });
  },
};

/** Names of the rules that the world breaks. */
export function checkWorld(world: World, client: Client | null = null): string[] {
  const scene: Scene = { world, log: world.log, client };
  return Object.entries(INVARIANTS).flatMap(([name, holds]) => (holds(scene) ? [] : [name]));
}

/** How it all ended, for one to be held against another; `unknown` when an outcome could not be known. */
export function endingOf(world: World): { readonly all: string; readonly unknown: boolean } {
  const rows = world.log.flatMap((row): unknown[] => {
    switch (row.kind) {
      case "answer":
        return [[row.run, row.body.text]];
      case "run_ended":
        return [[row.run, row.body.outcome, row.body.reason]];
      case "call_settled":
        return [[row.body.call, row.body.status, row.body.observation]];
      case "approval_decided":
        return [[row.body.call, row.body.decision]];
      default:
        return [];
    }
  });
  const unknown = world.log.some((row) => row.kind === "call_settled" && row.body.status === "unknown");
  const { entities, focus, facts } = world.state.memory;
  const remembered = [entities.map((entity) => entity.id), focus, facts.map((fact) => fact.key)];
  return { all: JSON.stringify([rows, [...world.effects.keyed.keys()].toSorted(), remembered]), unknown };
}

/** tools of the simulation that a person must allow */
const GATED: ReadonlySet<string> = new Set(["publish"]);

/** What a person sees of a message: its texts and its tools, not the figures beside them. */
function partsOf(message: UiMessage): unknown[] {
  return message.parts.flatMap((part) => {
    const type = String(part["type"]);
    if (type === "text" || type === "reasoning") return part["text"] === "" ? [] : [[type, part["text"]]];
    return type.startsWith("tool-") ? [[type, part["toolCallId"], part["state"], part["output"]]] : [];
  });
}

function proposed(log: readonly Entry[]) {
  return log.flatMap((row) => (row.kind === "model_replied" ? row.body.calls : []));
}

function stepNumber(step: string): number {
  return Number(/s(\d+)$/.exec(step)?.[1] ?? 0);
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
