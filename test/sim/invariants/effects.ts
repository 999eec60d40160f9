import { isDeepStrictEqual } from "node:util";
import { digestOf } from "../../../src/core/log/digest.ts";
import { count, proposed, type Rule } from "../scripts/conversation.ts";

/** tools of the simulation by what they bring and where they reach, said here once more: not as the product reads it */
export const OUTSIDE: ReadonlySet<string> = new Set(["visit", "fetch_out", "mail", "drop"]);
const OWN: ReadonlySet<string> = new Set([
  "look",
  "bulk",
  "put",
  "send",
  "publish",
  "reset",
  "retrieve_memory",
]);
const REACHING: ReadonlySet<string> = new Set(["fetch_out", "mail", "drop"]);
const OF_ADMINS: ReadonlySet<string> = new Set(["mail", "reset", "drop"]);
const WRITING: ReadonlySet<string> = new Set(["put", "send", "fetch_out"]);

/** What always holds of effects: said before, allowed, once, and told as they were. */
export const OF_EFFECTS: Readonly<Record<string, Rule>> = {
  "an intent precedes every execution": ({ platform, log }) =>
    platform.begun.every(
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
  "each execution has an intent of its own": ({ platform, log }) => {
    const intended = count(log.flatMap((row) => (row.kind === "call_intended" ? [row.body.call] : [])));
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
          (row) =>
            row.kind === "call_settled" &&
            effect.startsWith(`${row.run}s`) &&
            tools.has(row.body.tool) &&
            row.body.status !== "refused" &&
            row.body.status !== "denied",
        );
      if (!read(OUTSIDE) || !read(OWN)) return true;
      return before.some(
        (row) =>
          row.kind === "approval_decided" &&
          row.body.call === effect &&
          (row.body.decision === "approve" || row.body.decision === "edit"),
      );
    }),
  "nothing is done that the role and the lane do not permit": ({ platform, log }) => {
    const permitted = (tool: string | null, effect: string): boolean => {
      const queued = log.find((row) => row.kind === "run_queued" && effect.startsWith(`${row.run}s`));
      if (queued?.kind !== "run_queued") return true;
      const { source, role } = queued.body;
      const alone = source === "webhook" || source === "schedule";
      if (OF_ADMINS.has(tool ?? "")) return role === "admin" && !alone;
      return !alone || !WRITING.has(tool ?? "") || platform.unattended.includes(tool ?? "");
    };
    // Nor is anyone asked for it.
    const asked = log.flatMap((row) => (row.kind === "approval_requested" ? [row.body] : []));
    return (
      platform.begun.every(({ what, tool, effect }) => what !== "tool" || permitted(tool, effect)) &&
      asked.every(({ tool, call }) => permitted(tool, call))
    );
  },
  "what comes from outside is data in every prompt": ({ platform, log }) => {
    const brought = new Set(
      log.flatMap((row) =>
        row.kind === "call_settled" && row.body.status === "ok" && OUTSIDE.has(row.body.tool)
          ? [row.body.call]
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
        (row) => row.kind === "run_started" && effect.effect.startsWith(`${row.run}s`),
      );
      return (
        started?.kind === "run_started" && started.body.grant.some((grant) => grant.tool === effect.tool)
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
      log.flatMap((row) => (row.kind === "call_settled" ? [row.body.call] : [])).toSorted(),
    ),
  "results stand in the order of their calls": ({ log }) => {
    const order = new Map(proposed(log).map((call, index) => [call.call, index]));
    const later = new Set(log.flatMap((row) => (row.kind === "verdict" ? [row.body.call] : [])));
    // A person is asked when the rest of the reply has its results.
    for (const row of log) if (row.kind === "human_asked") later.add(row.body.call);
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
  "a change that was made is not made again": ({ log }) => {
    const made = new Set<string>();
    return log.every((row) => {
      // A person who speaks in between may want it once more.
      if (row.kind === "user_said" || row.kind === "approval_decided") made.clear();
      if (row.kind !== "call_settled") return true;
      const call = proposed(log).find((one) => one.call === row.body.call);
      if (call === undefined || call.effect === "read" || row.body.reusedFrom !== null) return true;
      // One that failed may have left something behind.
      if (row.body.status === "error" || row.body.status === "unknown") made.clear();
      if (row.body.status !== "ok" || row.body.attempt === 0) return true;
      const what = `${row.run} ${call.tool} ${digestOf(call.input)}`;
      const again = made.has(what);
      made.clear();
      made.add(what);
      return !again;
    });
  },
  "a result that says ok has its effect": ({ platform, log }) => {
    const began = new Set(platform.begun.map((effect) => effect.effect));
    return log.every(
      (row) =>
        row.kind !== "call_settled" ||
        row.seq <= platform.inherited ||
        row.body.status !== "ok" ||
        row.body.attempt === 0 ||
        row.body.reusedFrom !== null ||
        began.has(row.body.call),
    );
  },
  "nothing is changed beside a question": ({ log }) =>
    log.every(
      (row) =>
        row.kind !== "human_asked" ||
        row.body.call === null ||
        !log.some(
          (other) =>
            other.kind === "call_intended" && other.step === row.step && other.body.effect !== "read",
        ),
    ),
  "a tool that failed three times in a row is left alone": ({ log }) => {
    const fails = new Map<string, number>();
    const until = new Map<string, number>();
    return log.every((row) => {
      if (row.kind === "call_intended")
        return row.body.attempt > 1 || row.at >= (until.get(row.body.tool) ?? 0);
      const failed = row.kind === "verdict" && row.body.act === "retry";
      const over = row.kind === "call_settled" && row.body.attempt > 0 && row.body.reusedFrom === null;
      const call = failed || over ? proposed(log).find((one) => one.call === row.body.call) : undefined;
      if (call === undefined) return true;
      const again = failed || (over && row.body.failure?.retryable === true);
      fails.set(call.tool, again ? (fails.get(call.tool) ?? 0) + 1 : 0);
      if (fails.get(call.tool) === 3) until.set(call.tool, row.at + 30_000);
      if (!again) until.delete(call.tool);
      return true;
    });
  },
  "an effect that was begun is not told as if it were not": ({ platform, log }) =>
    log.every((row) => {
      if (row.kind !== "call_settled" || row.body.status !== "refused") return true;
      return !platform.begun.some((effect) => effect.what === "tool" && effect.effect === row.body.call);
    }),
  // A preview only reads, and a person may ask for one at any time.
  "no effect starts once a stop has committed": ({ platform }) =>
    platform.begun.every((effect) => effect.what === "preview" || !effect.stopped),
  "a recovery alarm stands behind every effect": ({ platform }) =>
    platform.begun.every((effect) => effect.what === "preview" || effect.guarded),
  "what was cut from a result can be read": ({ platform, log }) =>
    log.every(
      (row) =>
        row.kind !== "call_settled" ||
        row.body.status !== "ok" ||
        row.body.reusedFrom !== null ||
        row.body.chars <= row.body.observation.length ||
        platform.store.loadBlob(row.body.call) !== null,
    ),
};
