import { addressName } from "../../../src/cairn/core/address.ts";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import type { FakePlatform } from "../platform/platform.ts";
import type { Rule } from "../scripts/conversation.ts";

/** Messages that a person on a channel must receive for an entry, read plainly from docs/channels.md. */
function owed(
  { inherited }: FakePlatform,
  log: readonly Entry[],
): readonly { readonly id: string; readonly target: string }[] {
  const own = log.filter((entry) => entry.seq > inherited);
  const originOf = (run: string | null): string | null => {
    const asked = own.find((entry) => entry.kind === "run_queued" && entry.run === run);
    const origin = asked?.kind === "run_queued" ? asked.body.origin : undefined;
    return origin === undefined ? null : addressName(origin);
  };
  return own.flatMap((entry) => {
    const id = `ses.${entry.seq}.${entry.at}`;
    const origin = originOf(entry.run);
    const toOrigin = origin === null ? [] : [{ id: `${id}.origin`, target: `place:${origin}` }];
    if (entry.kind === "human_asked") return toOrigin;
    if (entry.kind === "approval_requested" && entry.body.policy === undefined)
      return [{ id: `${id}.card`, target: "person:ada" }];
    if (entry.kind === "note" && entry.body.digest?.place !== undefined)
      return [{ id: `${id}.digest`, target: `place:${addressName(entry.body.digest.place)}` }];
    if (entry.kind === "budget_asked") return [{ id: `${id}.budget`, target: "person:ada" }];
    if (entry.kind !== "run_ended") return [];
    const answer = own.find((one) => one.kind === "answer" && one.run === entry.run);
    return answer?.kind === "answer" && answer.body.text.trim() !== "" ? toOrigin : [];
  });
}

/** Messages that a run was at: each may have been read, or wait for its hour. */
const sentBy = (log: readonly Entry[]): ReadonlySet<string> =>
  new Set(
    log.flatMap((entry) =>
      entry.kind === "call_intended" && entry.body.tool === "send_message" ? [entry.body.key] : [],
    ),
  );

interface Said {
  readonly at: number;
  readonly source: string;
  readonly kind: string;
  readonly to: string;
  /** skipped by this verdict, or null */
  readonly skip: string | null;
  /** of its delivery as a note, if it is one */
  readonly id: string;
}

/** Messages that runs wanted to send unprompted, from their replies. */
function saidBy(log: readonly Entry[]): readonly Said[] {
  const calls = new Map(
    log.flatMap((entry) =>
      entry.kind === "model_replied" ? entry.body.calls.map((call) => [call.call, call] as const) : [],
    ),
  );
  return log.flatMap((entry) => {
    if (entry.kind !== "call_settled" || entry.body.tool !== "send_message") return [];
    const { to = "origin", kind = "progress" } = (calls.get(entry.body.call)?.input ?? {}) as {
      to?: string;
      kind?: string;
    };
    const asked = log.find((one) => one.kind === "run_queued" && one.run === entry.run);
    const source = asked?.kind === "run_queued" ? asked.body.source : "";
    const skip = entry.body.skip ?? null;
    if (skip === null && entry.body.status !== "ok" && entry.body.status !== "unknown") return [];
    return [{ at: entry.at, source, kind, to, skip, id: `ses.${entry.seq}.${entry.at}.note` }];
  });
}

const ENDS: ReadonlySet<string> = new Set([
  "approval_decided",
  "approval_cancelled",
  "budget_answered",
  "run_ended",
]);

/** True of a card whose question was answered before it could be shown: then there is nothing to show. */
const wasOver = (log: readonly Entry[], id: string): boolean => {
  const [, seq] = /\.(\d+)\.\d+\.(?:card|budget)$/.exec(id) ?? [];
  const asked = log.find((entry) => entry.seq === Number(seq));
  return (
    asked !== undefined &&
    log.some(({ seq: later, run, kind }) => later > asked.seq && run === asked.run && ENDS.has(kind))
  );
};

const apart = (times: readonly number[], ms: number): boolean =>
  times.every((at, index) => index === 0 || at - (times[index - 1] ?? 0) >= ms);

const MINUTE_MS = 60_000;
const ALL = 10_000;
/** A message or a card of a person; the end of a card is told to no one person. */
const isToPeople = ({ target }: { readonly target: string }): boolean => /^(?:place|person):/.test(target);
const nameOf = ({ id, target }: { readonly id: string; readonly target: string }): string =>
  `${target} ${id}`;

/** Invariants of messages to people on channels. */
export const OF_CHANNELS: Readonly<Record<string, Rule>> = {
  "nobody on a channel reads the same message twice": ({ platform }) => {
    const once = (platform.chat?.seen ?? []).filter(({ type }) => type === "message").map(nameOf);
    return new Set(once).size === once.length;
  },
  "a part of a message that has arrived is not sent again, and none is left out": ({ platform }) =>
    (platform.chat?.misplaced.size ?? 0) === 0,
  "a card is seen, or waits to be shown, and its outcome is never unknown": ({ platform }) =>
    platform.outbox
      .page(ALL, null)
      .items.every(({ type, state }) => (type !== "card" && type !== "budget") || state !== "unknown"),
  "what was never begun to be sent is not called unknown or failed": ({ platform }) => {
    if (platform.chat === null) return true;
    const { begun } = platform.chat;
    return platform.outbox
      .page(ALL, null)
      .items.every(
        (row) =>
          (row.state !== "unknown" && row.state !== "failed") || !isToPeople(row) || begun.has(nameOf(row)),
      );
  },
  "every word for a channel is read, waits, or is known as lost or refused": ({ platform, log }) => {
    if (platform.chat === null) return true;
    const read = new Set(platform.chat.seen.map(nameOf));
    const kept = new Set(
      platform.outbox
        .page(ALL, null)
        .items.filter(({ state }) => state !== "delivered")
        .map(nameOf),
    );
    return owed(platform, log).every(
      (one) => read.has(nameOf(one)) || kept.has(nameOf(one)) || wasOver(log, one.id),
    );
  },
  "what is called delivered was read, and what was read is never called refused": ({ platform, log }) => {
    if (platform.chat === null) return true;
    const read = new Set(platform.chat.seen.map(nameOf));
    return platform.outbox
      .page(ALL, null)
      .items.filter(({ type }) => ["message", "card", "budget"].includes(type))
      .every((row) =>
        row.state === "delivered"
          ? read.has(nameOf(row)) || wasOver(log, row.id)
          : row.state !== "failed" || !read.has(nameOf(row)),
      );
  },
  "what was decided or answered shows no buttons, or they are about to go": ({ platform, log }) => {
    if (platform.chat === null) return true;
    const ending = new Set(
      platform.outbox
        .page(ALL, null)
        .items.filter(({ state }) => state !== "delivered")
        .map(({ target }) => target),
    );
    return log
      .flatMap((entry) =>
        entry.kind === "human_answered"
          ? [entry.body.question]
          : entry.kind === "approval_decided" || entry.kind === "approval_cancelled"
            ? [entry.body.approval]
            : [],
      )
      .every((name) => platform.cards.of(name).length === 0 || ending.has(`card:${name}`));
  },
  "nothing is said on a channel but what the log says": ({ platform, log }) => {
    const all = new Set(owed(platform, log).map(nameOf));
    const sent = sentBy(log);
    return (platform.chat?.seen ?? []).every((one) => all.has(nameOf(one)) || sent.has(one.id));
  },
  "a message that nobody was there to allow waits as a note, or stands in one digest": ({
    platform,
    log,
  }) => {
    if (platform.chat === null) return true;
    const waiting = platform.outbox
      .page(ALL, null)
      .items.filter(({ state, endedAt }) => state === "noted" && endedAt === null);
    const told = log.flatMap((entry) => (entry.kind === "note" ? (entry.body.digest?.notes ?? []) : []));
    const places = [...waiting.map(({ id }) => id), ...told].toSorted();
    const kept = saidBy(log).filter(({ skip }) => skip === "AUTONOMY_DENY");
    return JSON.stringify(places) === JSON.stringify(kept.map(({ id }) => id).toSorted());
  },
  "nobody is told in their quiet hours what they did not ask for then": ({ platform }) => {
    if (platform.chat === null || platform.times.zone === null) return true;
    // The nights of the scripts: from ten to seven in a zone that is an hour ahead.
    const isDay = (hour: number): boolean => hour >= 6 && hour < 21;
    return platform.chat.seen.every(({ at }) => isDay(new Date(at).getUTCHours()));
  },
  "a heartbeat writes to one place once in four hours, a capsule of its progress once in fifteen minutes": ({
    log,
  }) => {
    const sent = saidBy(log).filter(({ skip }) => skip === null);
    const looks = Map.groupBy(
      sent.filter(({ source }) => source === "heartbeat"),
      ({ to }) => to,
    );
    const progress = sent.filter(({ source, kind }) => source === "capsule" && kind === "progress");
    return (
      [...looks.values()].every((own) =>
        apart(
          own.map(({ at }) => at),
          240 * MINUTE_MS,
        ),
      ) &&
      apart(
        progress.map(({ at }) => at),
        15 * MINUTE_MS,
      )
    );
  },
};
