import { isDeepStrictEqual } from "node:util";
import { digestOf } from "../../../src/cairn/core/log/digest.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { count, proposed, type Rule } from "../scripts/conversation.ts";

/** tools of the simulation by what they bring and where they reach, said here once more: not as the product reads it */
export const OUTSIDE: ReadonlySet<string> = new Set(["visit", "fetch_out", "mail", "drop", "where"]);
export const OWN: ReadonlySet<string> = new Set([
  "look",
  "bulk",
  "put",
  "send",
  "publish",
  "reset",
  "retrieve_memory",
]);
export const REACHING: ReadonlySet<string> = new Set(["fetch_out", "mail", "drop"]);
const OF_ADMINS: ReadonlySet<string> = new Set(["mail", "reset", "drop"]);
const WRITING: ReadonlySet<string> = new Set(["put", "send", "fetch_out"]);

/** Invariants of effects: recorded first, allowed, executed once, and reported truthfully. */
export const OF_EFFECTS: Readonly<Record<string, Rule>> = {
  "an intent precedes every execution": ({ platform, log }) =>
    platform.begun.every(
      (effect) =>
        effect.what !== "tool" ||
        log
          .slice(0, effect.head)
          .some(
            (entry) =>
              entry.kind === "call_intended" &&
              entry.body.call === effect.effect &&
              entry.body.argsDigest === effect.args &&
              entry.body.key === effect.key,
          ),
    ),
  "each execution has an intent of its own": ({ platform, log }) => {
    const intended = count(log.flatMap((entry) => (entry.kind === "call_intended" ? [entry.body.call] : [])));
    const started = count(
      platform.begun.flatMap((effect) => (effect.what === "tool" ? [effect.effect] : [])),
    );
    return [...started].every(([call, times]) => times <= (intended.get(call) ?? 0));
  },
  "nothing reaches outside unasked after private and foreign content was read": ({ platform, log }) =>
    platform.begun.every(({ what, tool, effect, head }) => {
      if (what !== "tool" || !REACHING.has(tool ?? "")) return true;
      const before = log.slice(0, head);
      const read = (tools: ReadonlySet<string>): boolean =>
        before.some(
          (entry) =>
            entry.kind === "call_settled" &&
            effect.startsWith(`${entry.run}s`) &&
            tools.has(entry.body.tool) &&
            entry.body.status !== "refused" &&
            entry.body.status !== "denied",
        );
      if (!read(OUTSIDE) || !read(OWN)) return true;
      return before.some(
        (entry) =>
          entry.kind === "approval_decided" &&
          entry.body.call === effect &&
          (entry.body.decision === "approve" || entry.body.decision === "edit"),
      );
    }),
  "nothing is done that the role and the lane do not permit": ({ platform, log }) => {
    const permitted = (tool: string | null, effect: string): boolean => {
      const queued = log.find((entry) => entry.kind === "run_queued" && effect.startsWith(`${entry.run}s`));
      if (queued?.kind !== "run_queued") return true;
      const { source, role } = queued.body;
      const alone = source === "webhook" || source === "schedule";
      if (OF_ADMINS.has(tool ?? "")) return role === "admin" && !alone;
      return !alone || !WRITING.has(tool ?? "") || platform.unattended.includes(tool ?? "");
    };
    // Nor is anyone asked for it.
    const asked = log.flatMap((entry) => (entry.kind === "approval_requested" ? [entry.body] : []));
    return (
      platform.begun.every(({ what, tool, effect }) => what !== "tool" || permitted(tool, effect)) &&
      asked.every(({ tool, call }) => permitted(tool, call))
    );
  },
  "what comes from outside is data in every prompt": ({ platform, log }) => {
    const brought = new Set(
      log.flatMap((entry) =>
        entry.kind === "call_settled" && entry.body.status === "ok" && OUTSIDE.has(entry.body.tool)
          ? [entry.body.call]
          : [],
      ),
    );
    const isData = (text: string): boolean =>
      /^<untrusted source="[^"]+">\n[\s\S]*\n<\/untrusted>/.test(text);
    return platform.requests.every((request) =>
      request.messages.every(
        (message) =>
          message.role !== "tool" ||
          message.results.every(({ call, observation }) => !brought.has(call) || isData(observation)),
      ),
    );
  },
  "nothing outside the grant is executed": ({ platform, log }) =>
    platform.begun.every((effect) => {
      if (effect.what !== "tool") return true;
      const started = log.find(
        (entry) => entry.kind === "run_started" && effect.effect.startsWith(`${entry.run}s`),
      );
      return (
        started?.kind === "run_started" && started.body.grant.some((grant) => grant.tool === effect.tool)
      );
    }),
  "nothing is done that the specification of its run leaves out": ({ platform, log }) =>
    platform.begun.every(({ what, tool, effect, head }) => {
      const queued = log.find((entry) => entry.kind === "run_queued" && effect.startsWith(`${entry.run}s`));
      if (what !== "tool" || tool === null || queued?.kind !== "run_queued") return true;
      const { tools, gates } = queued.body.spec;
      if (tools !== null && OWN.has(tool) && !tools.includes(tool) && tool !== "retrieve_memory")
        return false;
      if (gates[tool] === undefined) return true;
      const said = log
        .slice(0, head)
        .some((entry) => entry.kind === "approval_decided" && entry.body.call === effect);
      return gates[tool] === "ask" && said;
    }),
  "an answer has a value exactly where one was asked for": ({ log }) =>
    log.every((entry) => {
      if (entry.kind !== "answer" || entry.body.source !== "complete") return true;
      const queued = log.find((one) => one.kind === "run_queued" && one.run === entry.run);
      if (queued?.kind !== "run_queued" || queued.body.spec.output === null) return entry.body.value === null;
      const { value } = entry.body;
      return (
        typeof value === "object" &&
        value !== null &&
        "celsius" in value &&
        typeof value["celsius"] === "number"
      );
    }),
  "a once tool is started at most once per call": ({ platform, log }) => {
    const once = new Set(proposed(log).flatMap((call) => (call.effect === "once" ? [call.call] : [])));
    const started = platform.begun.filter((effect) => effect.what === "tool" && once.has(effect.effect));
    return new Set(started.map((effect) => effect.effect)).size === started.length;
  },
  "all attempts of a call carry its one key": ({ platform }) => {
    const keys = new Map<string, string | null>();
    for (const { what, effect, key } of platform.begun) {
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
      log.flatMap((entry) => (entry.kind === "call_settled" ? [entry.body.call] : [])).toSorted(),
    ),
  "results stand in the order of their calls": ({ log }) => {
    const order = new Map(proposed(log).map((call, index) => [call.call, index]));
    const later = new Set(log.flatMap((entry) => (entry.kind === "verdict" ? [entry.body.call] : [])));
    // A person is asked, and the run completed, when the rest of the reply has its results.
    for (const entry of log) if (entry.kind === "human_asked") later.add(entry.body.call);
    for (const { call, tool } of proposed(log)) if (tool === "complete") later.add(call);
    // Children report when they are done.
    for (const entry of log) if (entry.kind === "call_deferred") later.add(entry.body.call);
    // Calls that are refused at once, retried later, or repeat another call settle out of turn.
    const inTurn = log.flatMap((entry) =>
      entry.kind === "call_settled" &&
      entry.body.status !== "refused" &&
      entry.body.reusedFrom === null &&
      !later.has(entry.body.call)
        ? [order.get(entry.body.call) ?? 0]
        : [],
    );
    return inTurn.every((place, index) => place > (inTurn[index - 1] ?? -1));
  },
  "a change that was made is not made again": ({ log }) => {
    const made = new Set<string>();
    return log.every((entry) => {
      // A person who speaks in between may want it once more.
      if (entry.kind === "user_message" || entry.kind === "approval_decided") made.clear();
      if (entry.kind !== "call_settled") return true;
      const call = proposed(log).find((one) => one.call === entry.body.call);
      if (call === undefined || call.effect === "read" || entry.body.reusedFrom !== null) return true;
      // One that failed may have left something behind.
      if (entry.body.status === "error" || entry.body.status === "unknown") made.clear();
      if (entry.body.status !== "ok" || entry.body.attempt === 0) return true;
      const what = `${entry.run} ${call.tool} ${digestOf(call.input)}`;
      const again = made.has(what);
      made.clear();
      made.add(what);
      return !again;
    });
  },
  "a result that says ok has its effect": ({ platform, log }) => {
    const began = new Set(platform.begun.map((effect) => effect.effect));
    // Deferred calls took effect in another session.
    for (const entry of log) if (entry.kind === "call_deferred") began.add(entry.body.call);
    // Client tools run outside this platform.
    for (const entry of log)
      if (entry.kind === "client_answered" && !entry.body.expired) began.add(entry.body.call);
    return log.every(
      (entry) =>
        entry.kind !== "call_settled" ||
        entry.seq <= platform.inherited ||
        entry.body.status !== "ok" ||
        entry.body.attempt === 0 ||
        entry.body.reusedFrom !== null ||
        began.has(entry.body.call),
    );
  },
  "a client is asked once for a call that its run brought, and the first answer is the result": ({ log }) =>
    log.every((entry, at) => {
      if (entry.kind === "call_settled") {
        const asked = log
          .slice(0, at)
          .some((one) => one.kind === "client_asked" && one.body.call === entry.body.call);
        const answered = log
          .slice(0, at)
          .some(
            (one) => one.kind === "client_answered" && one.body.call === entry.body.call && !one.body.expired,
          );
        return (
          !asked || entry.body.reusedFrom !== null || answered === ["ok", "error"].includes(entry.body.status)
        );
      }
      if (entry.kind !== "client_asked" && entry.kind !== "client_answered") return true;
      const { call } = entry.body;
      const others = log.filter(
        (one) => one.kind === entry.kind && "call" in one.body && one.body.call === call,
      );
      if (others.length > 1) return false;
      if (entry.kind === "client_answered")
        return log.slice(0, at).some((one) => one.kind === "client_asked" && one.body.call === call);
      const queued = log.find((one) => one.kind === "run_queued" && one.run === entry.run);
      return (
        log.slice(0, at).some((one) => one.kind === "call_intended" && one.body.call === call) &&
        queued?.kind === "run_queued" &&
        queued.body.spec.clientTools?.some(({ name }) => name === entry.body.tool) === true
      );
    }),
  "no client is asked unasked after private and foreign content was read": ({ log }) =>
    log.every((entry, at) => {
      if (entry.kind !== "client_asked") return true;
      const before = log.slice(0, at).filter((one) => one.run === entry.run);
      const read = (tools: ReadonlySet<string>): boolean =>
        before.some(
          (one) =>
            one.kind === "call_settled" &&
            tools.has(one.body.tool) &&
            one.body.status !== "refused" &&
            one.body.status !== "denied",
        );
      if (!read(OUTSIDE) || !read(OWN)) return true;
      return before.some(
        (one) =>
          one.kind === "approval_decided" &&
          one.body.call === entry.body.call &&
          (one.body.decision === "approve" || one.body.decision === "edit"),
      );
    }),
  "nothing is changed beside a question": ({ log }) =>
    log.every(
      (entry) =>
        entry.kind !== "human_asked" ||
        entry.body.call === null ||
        !log.some(
          (other) =>
            other.kind === "call_intended" && other.step === entry.step && other.body.effect !== "read",
        ),
    ),
  "a tool that failed three times in a row, or says when to come back, is left alone": ({ log }) => {
    const fails = new Map<string, number>();
    const until = new Map<string, number>();
    return log.every((entry) => {
      if (entry.kind === "call_intended")
        return entry.body.attempt > 1 || entry.at >= (until.get(entry.body.tool) ?? 0);
      const failed = entry.kind === "verdict" && entry.body.act === "retry";
      const over = entry.kind === "call_settled" && entry.body.attempt > 0 && entry.body.reusedFrom === null;
      const call = failed || over ? proposed(log).find((one) => one.call === entry.body.call) : undefined;
      if (call === undefined) return true;
      const again = failed || (over && entry.body.failure?.retryable === true);
      fails.set(call.tool, again ? (fails.get(call.tool) ?? 0) + 1 : 0);
      const known = until.get(call.tool) ?? 0;
      if (fails.get(call.tool) === 3) until.set(call.tool, Math.max(known, entry.at + 30_000));
      // A tool that names its retry time rests until then, for 15 minutes at most.
      const told = entry.kind === "verdict" ? entry.body.retryAt : toldBy(entry);
      if (again && told !== undefined)
        until.set(call.tool, Math.max(until.get(call.tool) ?? 0, Math.min(told, entry.at + 15 * 60_000)));
      if (!again) until.delete(call.tool);
      return true;
    });
  },
  "an effect that was begun is not told as if it were not": ({ platform, log }) =>
    log.every((entry) => {
      if (entry.kind !== "call_settled" || entry.body.status !== "refused") return true;
      return !platform.begun.some((effect) => effect.what === "tool" && effect.effect === entry.body.call);
    }),
  // A preview only reads, and a person may ask for one at any time.
  "no effect starts once a stop has committed": ({ platform }) =>
    platform.begun.every((effect) => effect.what === "preview" || !effect.stopped),
  "a recovery alarm stands behind every effect": ({ platform }) =>
    platform.begun.every((effect) => effect.what === "preview" || effect.guarded),
  "what was cut from a result can be read": ({ platform, log }) =>
    log.every(
      (entry) =>
        entry.kind !== "call_settled" ||
        entry.body.status !== "ok" ||
        entry.body.reusedFrom !== null ||
        entry.body.chars <= entry.body.observation.length ||
        platform.store.loadBlob(entry.body.call) !== null,
    ),
};

/** When the failure of a settled call says to come back. */
function toldBy(entry: Entry): number | undefined {
  const after = entry.kind === "call_settled" ? entry.body.failure?.retryAfterMs : undefined;
  return after === undefined ? undefined : entry.at + after;
}
