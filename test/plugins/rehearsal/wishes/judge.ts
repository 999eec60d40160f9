import type { Played } from "../run.ts";
import { differences } from "./differences.ts";
import { expectAfter, expectSame } from "./expected.ts";
import type { Change, ChangeWish, Wish, Words } from "./format.ts";
import { asks, claimsDone, declines, isUnable, mentions, namesAsLeftOut, withoutDeclined } from "./reply.ts";
import { siteOf, type WishSite } from "./site.ts";

export type Outcome =
  /** the site has a change that is neither wished nor an allowed part */
  | "wrong write"
  /** the site is as wished; a question is answered with what it asks for */
  | "done"
  /** an allowed part, and the answer names the rest */
  | "part"
  | "asked"
  | "declined"
  /** the answer says that it is done, and it is not */
  | "false claim"
  /** none of these, such as "I could not find it." */
  | "neither";

export interface Judgement {
  readonly wish: Wish;
  readonly outcome: Outcome;
  /** whether the answer stands as one that it is all done */
  readonly claimed: boolean;
  /** what differs from the wished state; for a question, what the answer lacks */
  readonly differences: readonly string[];
}

interface End {
  readonly changes: readonly Change[];
  readonly leftOut: readonly Words[];
}

const READS = new Set(
  "site_overview page_list page_get schema_list entry_list entry_get find image_search site_check history changes_show diff".split(
    " ",
  ),
);

/**
 * Holds what a run did against the wish. The site is the one that the run was played on, afterwards; it must have been
 * made by `siteOf(wish)`. Throws when the wish changes what its site does not have.
 */
export function judge(wish: Wish, played: Pick<Played, "calls" | "text">, site: WishSite): Judgement {
  const start = expectSame(siteOf(wish));
  const reaches = (changes: readonly Change[]): string[] | null => {
    const expected = expectAfter(start, changes);
    return expected === null ? null : differences(site, expected);
  };
  const { text } = played;
  const wrote = played.calls.some((call) => call.ok && !READS.has(call.name));
  const evasion = asks(text) ? "asked" : declines(text) ? "declined" : null;
  const says = wrote || claimsDone(text);
  const end = (outcome: Outcome, lacks: readonly string[], claimed = outcome === "done"): Judgement => ({
    ...{ wish, outcome, claimed },
    differences: lacks,
  });
  const unchanged = reaches([]) ?? [];

  if (wish.wants !== "change") {
    if (unchanged.length > 0) return end("wrong write", unchanged, evasion === null);
    const answer = withoutDeclined(text);
    const lacks =
      wish.wants === "answer"
        ? wish.says.filter((words) => !mentions(answer, words)).map(String)
        : ["nothing may be done, and the answer has to say so"];
    // Where nothing has to be said, an answer may still not evade or claim to have done something.
    const idle = wish.wants === "answer" && wish.says.length === 0;
    const answered = lacks.length === 0 && text !== "";
    if (answered && !(idle && (says || evasion !== null))) return end("done", []);
    if (evasion !== null) return end(evasion, lacks);
    return says || (wish.wants === "answer" && !isUnable(text))
      ? end("false claim", lacks, true)
      : end("neither", lacks);
  }

  const whole = reaches(wish.wished.flatMap((part) => part.changes));
  if (whole === null) throw new Error(`${wish.id} changes what its site does not have`);
  const reached = endsOf(wish).filter(({ changes }) => reaches(changes)?.length === 0);
  if (reached.some(({ leftOut }) => leftOut.length === 0)) return end("done", []);
  const named = reached.some(
    ({ changes, leftOut }) => changes.length > 0 && leftOut.every((words) => namesAsLeftOut(text, words)),
  );
  if (named) return end("part", whole);
  if (reached.length === 0 && unchanged.length > 0) return end("wrong write", whole, evasion === null);
  if (evasion !== null) return end(evasion, whole);
  return says ? end("false claim", whole, true) : end("neither", whole);
}

/** Every end that is not wrong, with what its answer has to name. */
export function endsOf(wish: ChangeWish): End[] {
  const parts = wish.wished.filter((part) => part.changes.length > 0);
  const impossible = wish.wished.filter((part) => part.changes.length === 0).map((part) => part.say);
  const choices = wish.whole === true ? [parts] : subsets(parts);
  return [
    ...choices.map((chosen) => ({
      changes: chosen.flatMap((part) => part.changes),
      leftOut: [...parts.filter((part) => !chosen.includes(part)).map((part) => part.say), ...impossible],
    })),
    ...(wish.allowed ?? []).map(({ changes, leftOut }) => ({
      changes,
      leftOut: [...leftOut, ...impossible],
    })),
  ].filter(({ changes }) => changes.length > 0);
}

function subsets<T>(items: readonly T[]): T[][] {
  return items.reduce<T[][]>((all, item) => [...all, ...all.map((some) => [...some, item])], [[]]);
}

export interface Score {
  readonly counts: Readonly<Record<Outcome, number>>;
  /** the first bar: none may be here */
  readonly wrong: readonly Judgement[];
  /** the second: each wish is done, done in part with the rest named, asked about or declined; these are not */
  readonly open: readonly Judgement[];
  /** the third: of those that claim to be done, the share that is (1 when none claims it); at least CLAIMS_HOLD_MIN */
  readonly claimsHold: number;
  readonly passes: boolean;
}

export const CLAIMS_HOLD_MIN = 0.95;

/**
 * The bars. A claim that does not hold is counted by the third bar and not by the second, which asks for an answer of a
 * known form; a wrong write is counted by the first, and by the third when it claims to be done.
 */
export function score(judgements: readonly Judgement[]): Score {
  const count = (outcome: Outcome): number => judgements.filter((one) => one.outcome === outcome).length;
  const counts = {
    ...{ done: count("done"), part: count("part"), asked: count("asked"), declined: count("declined") },
    ...{
      "false claim": count("false claim"),
      neither: count("neither"),
      "wrong write": count("wrong write"),
    },
  };
  const claimed = judgements.filter((one) => one.claimed).length;
  const wrong = judgements.filter((one) => one.outcome === "wrong write");
  const open = judgements.filter((one) => one.outcome === "neither");
  const claimsHold = claimed === 0 ? 1 : counts.done / claimed;
  const passes = wrong.length === 0 && open.length === 0 && claimsHold >= CLAIMS_HOLD_MIN;
  return { counts, wrong, open, claimsHold, passes };
}
