import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { isSubscribed } from "../../../src/cairn/config/webhook-config.ts";
import type { Rule } from "../scripts/conversation.ts";
import type { FakePlatform } from "../platform/platform.ts";

/** Notices that a target must receive for an entry, read plainly from docs/webhooks.md: the type and the id of each. */
function due(entry: Entry): readonly (readonly [type: Parameters<typeof isSubscribed>[1], id: string])[] {
  const id = `ses.${entry.seq}.${entry.at}`;
  if (entry.kind === "run_started") return [["run.started", id]];
  if (entry.kind === "run_ended") return [["run.ended", id]];
  if (entry.kind === "human_asked") return [["run.waiting", id]];
  if (entry.kind === "approval_escalated") return [["approval.escalated", id]];
  // A remembered decision asks nobody.
  if (entry.kind === "approval_requested" && entry.body.policy === undefined)
    return [
      ["run.waiting", `${id}.run`],
      ["approval.requested", id],
    ];
  if (entry.kind === "approval_decided")
    return [[entry.body.decision === "expired" ? "approval.expired" : "approval.decided", id]];
  return [];
}

/** Every notice that a target of the platform is owed. */
function owed({ receiver, inherited }: FakePlatform, log: readonly Entry[]): readonly string[] {
  const own = log.filter((entry) => entry.seq > inherited);
  return receiver.targets.flatMap((target) =>
    own.flatMap((entry) =>
      due(entry).flatMap(([type, id]) => (isSubscribed(target, type) ? [`${target.id} ${id}`] : [])),
    ),
  );
}

const final = (status: number | null): boolean =>
  status !== null && status < 500 && ![408, 425, 429].includes(status);

const TRIES_MAX = 8;
const ALL = 10_000;

/** Invariants of outgoing webhooks. */
export const OF_DELIVERIES: Readonly<Record<string, Rule>> = {
  "every notice reaches its target, waits for its next try, or has had eight": ({ platform, log }) => {
    const heard = new Set(
      platform.receiver.told.filter(({ status }) => final(status)).map(({ target, id }) => `${target} ${id}`),
    );
    const kept = new Set(
      platform.outbox
        .page(ALL, null)
        .items.filter((entry) => entry.state === "pending" || entry.tries === TRIES_MAX)
        .map((entry) => `${entry.target} ${entry.id}`),
    );
    return owed(platform, log).every((notice) => heard.has(notice) || kept.has(notice));
  },
  "nothing is told but what the log says": ({ platform, log }) => {
    const all = new Set(owed(platform, log));
    return platform.receiver.told.every(({ target, id }) => all.has(`${target} ${id}`));
  },
  "what is told is on disk": ({ platform }) =>
    platform.receiver.told.every(({ id, head }) => Number(id.split(".")[1]) <= head),
  "every try of a notice says the same": ({ platform }) => {
    const words = new Map<string, string>();
    return platform.receiver.told.every(({ target, id, body }) => {
      const notice = `${target} ${id}`;
      const same = (words.get(notice) ?? body) === body;
      words.set(notice, body);
      return same;
    });
  },
  "a notice is not sent again once its outcome is on disk": ({ platform }) =>
    platform.receiver.told.every(({ settled }) => !settled),
};
