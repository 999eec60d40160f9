import { addressName } from "../../../src/core/address.ts";
import type { Entry } from "../../../src/core/log/entry.ts";
import type { FakePlatform } from "../platform/platform.ts";
import type { Rule } from "../scripts/conversation.ts";

/** What a person on a channel must hear of an entry, read plainly from docs/channels.md. */
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
    if (entry.kind === "budget_asked") return [{ id: `${id}.budget`, target: "person:ada" }];
    if (entry.kind !== "run_ended") return [];
    const answer = own.find((one) => one.kind === "answer" && one.run === entry.run);
    return answer?.kind === "answer" && answer.body.text.trim() !== "" ? toOrigin : [];
  });
}

const ALL = 10_000;
const nameOf = ({ id, target }: { readonly id: string; readonly target: string }): string =>
  `${target} ${id}`;

/** What always holds of words to people on channels. */
export const OF_CHANNELS: Readonly<Record<string, Rule>> = {
  "nobody on a channel reads the same thing twice": ({ platform }) => {
    const once = (platform.chat?.seen ?? []).filter(({ note }) => !note.type.endsWith("_end")).map(nameOf);
    return new Set(once).size === once.length;
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
    return owed(platform, log).every((one) => read.has(nameOf(one)) || kept.has(nameOf(one)));
  },
  "what is called delivered was read, and what was read is never called refused": ({ platform }) => {
    if (platform.chat === null) return true;
    const read = new Set(platform.chat.seen.map(nameOf));
    return platform.outbox
      .page(ALL, null)
      .items.filter(({ type }) => ["message", "card", "budget"].includes(type))
      .every((row) =>
        row.state === "delivered" ? read.has(nameOf(row)) : row.state !== "failed" || !read.has(nameOf(row)),
      );
  },
  "nothing is said on a channel but what the log says": ({ platform, log }) => {
    const all = new Set(owed(platform, log).map(nameOf));
    return (platform.chat?.seen ?? [])
      .filter(({ note }) => !note.type.endsWith("_end"))
      .every((one) => all.has(nameOf(one)));
  },
};
