import { digestOf } from "../../../src/cairn/core/log/digest.ts";
import { asKind, type Entry } from "../../../src/cairn/core/log/entry.ts";
import { OUTSIDE } from "./effects.ts";
import type { Rule } from "../scripts/conversation.ts";

/** tools of the simulation that a person must allow */
const GATED: ReadonlySet<string> = new Set(["publish"]);

type Vote = Entry<"approval_voted"> | Entry<"approval_decided">;

const about = (log: readonly Entry[], approval: string, kind: Entry["kind"]): readonly Entry[] =>
  log.filter((entry) => entry.kind === kind && "approval" in entry.body && entry.body.approval === approval);

const asking = (log: readonly Entry[], approval: string): Entry<"approval_requested"> | null => {
  const [entry] = about(log, approval, "approval_requested");
  return entry === undefined ? null : asKind(entry, "approval_requested");
};

/** Votes and the decision on an approval up to an entry, since its arguments were last changed. */
function votesFor(log: readonly Entry[], decided: Entry<"approval_decided">): readonly Vote[] {
  const entries = log.filter(
    (entry): entry is Vote =>
      (entry.kind === "approval_voted" || entry.kind === "approval_decided") &&
      entry.seq <= decided.seq &&
      entry.body.approval === decided.body.approval,
  );
  const edit = entries.findLastIndex((entry) => entry.body.decision === "edit");
  return edit < 0 ? entries : entries.slice(edit);
}

const isYes = ({ body }: Entry<"approval_decided">): boolean =>
  body.decision === "approve" || body.decision === "edit";

const decisions = (log: readonly Entry[]): readonly Entry<"approval_decided">[] =>
  log.flatMap((entry) => asKind(entry, "approval_decided") ?? []);

/** Invariants of consent: people give it, each vote counts once, and it covers the exact arguments. */
export const OF_APPROVALS: Readonly<Record<string, Rule>> = {
  "a decision on the very arguments precedes a gated execution": ({ platform, log }) =>
    platform.begun.every((effect) => {
      if (effect.what !== "tool" || !GATED.has(effect.tool ?? "")) return true;
      return decisions(log.slice(0, effect.head)).some((decided) => {
        if (decided.body.call !== effect.effect || !isYes(decided)) return false;
        const [first] = votesFor(log, decided);
        const proposal =
          first?.body.decision === "edit" ? first.body : asking(log, decided.body.approval)?.body;
        return (
          proposal !== undefined &&
          digestOf(proposal.args) === effect.args &&
          proposal.digest === decided.body.digest
        );
      });
    }),
  "what is done is what whoever allowed it was shown": ({ log }) =>
    log.every((entry) => entry.kind !== "call_settled" || entry.body.failure?.code !== "stale"),
  "words that joined a run are worked with its rights": ({ log }) =>
    log.every((entry) => {
      if (entry.kind !== "run_queued") return true;
      const said = log.find((other) => other.seq === entry.body.inputSeq);
      if (said?.kind !== "user_message" || said.body.mode !== "join") return true;
      const joined = log.find((other) => other.kind === "run_queued" && other.run === said.run);
      return joined?.kind === "run_queued" && joined.body.role === entry.body.role;
    }),
  "a decision never changes": ({ log }) => {
    const decided = decisions(log).map(({ body }) => body.approval);
    return new Set(decided).size === decided.length;
  },
  "as many people as needed agree to the very arguments, each of whom may": ({ log }) =>
    decisions(log).every((decided) => {
      const asked = asking(log, decided.body.approval)?.body;
      if (asked === undefined) return false;
      if (!isYes(decided) || decided.body.via === "policy") return true;
      const votes = votesFor(log, decided).filter((entry) => entry.body.digest === decided.body.digest);
      const people = new Set<string>();
      for (const { body } of votes) {
        // They may vote anew with other rights.
        for (const dropped of body.dropped ?? []) people.delete(dropped);
        people.add(body.actor);
      }
      const later = log.flatMap((entry) =>
        entry.kind === "approval_escalated" &&
        entry.body.approval === asked.approval &&
        entry.seq < decided.seq
          ? entry.body.approvers
          : [],
      );
      const may = new Set([...asked.approvers, ...later].map((one) => (one === "owner" ? "ada" : one)));
      return (
        people.size >= asked.needed &&
        [...people].every(
          (one) => may.has(one) && (asked.requesterMayApprove !== false || one !== asked.requester),
        )
      );
    }),
  "time asks more people once, and never says yes or expires early": ({ log }) =>
    decisions(log).every(({ at, body }) => {
      if ((body.actor === "clock") !== (body.decision === "expired")) return false;
      const [later] = about(log, body.approval, "approval_escalated");
      const until = later?.kind === "approval_escalated" ? later.body : asking(log, body.approval)?.body;
      return (body.decision === "expired") === at >= (until?.expiresAt ?? 0);
    }) &&
    log.every(
      (entry) =>
        entry.kind !== "approval_escalated" || about(log, entry.body.approval, entry.kind).length === 1,
    ),
  "a remembered decision decides only where it holds": ({ log }) =>
    decisions(log).every((decided) => {
      const asked = asking(log, decided.body.approval);
      if (decided.body.via !== "policy" || asked === null) return asked?.body.policy === undefined;
      const given = log.find(
        (entry) => entry.kind === "policy_remembered" && entry.body.policy === asked.body.policy,
      );
      if (given?.kind !== "policy_remembered" || given.seq > asked.seq) return false;
      const between = log.slice(given.seq, asked.seq);
      const ended = between.some(
        (entry) =>
          entry.kind === "session_cleared" ||
          (entry.kind === "policy_revoked" && entry.body.policy === given.body.policy),
      );
      const before = asking(log, given.body.approval)?.body;
      const same = given.body.match === "tool" || digestOf(before?.args) === digestOf(asked.body.args);
      const tainted = log
        .slice(0, asked.seq)
        .some(
          (entry) => entry.run === asked.run && entry.kind === "call_settled" && OUTSIDE.has(entry.body.tool),
        );
      return (
        !ended &&
        !tainted &&
        same &&
        asked.body.needed === 1 &&
        given.body.tool === asked.body.tool &&
        given.body.decision === decided.body.decision &&
        given.body.expiresAt > decided.at
      );
    }),
  "what is remembered is what the log says": ({ platform, log }) => {
    const now = Math.max(platform.now, platform.state.at);
    /** the newest about the same calls */
    const kept = new Map<string, string>();
    for (const entry of log) {
      if (entry.kind === "policy_remembered") {
        const { tool, match, approval, policy, expiresAt } = entry.body;
        const same = `${tool} ${match === "args" ? digestOf(asking(log, approval)?.body.args) : "all"}`;
        kept.delete(same);
        if (expiresAt > now) kept.set(same, policy);
      }
      if (entry.kind === "policy_revoked")
        for (const [same, policy] of kept) if (policy === entry.body.policy) kept.delete(same);
      if (entry.kind === "session_cleared") kept.clear();
    }
    const policies = platform.store.loadMeta()?.policies ?? [];
    const live = policies.filter((policy) => policy.expiresAt > now).map((policy) => policy.id);
    return live.toSorted().join() === [...kept.values()].toSorted().join();
  },
};
