import { addressName, SEND_MESSAGE, type Address, type MessageKind } from "../../../cairn/core/address.ts";
import { laneOf } from "../../../cairn/core/guards/permissions.ts";
import type { BodyOf, Entry } from "../../../cairn/core/log/entry.ts";
import { underReceipt } from "../../../cairn/core/text/receipt-lines.ts";
import type { QuietMark } from "../../../cairn/session/background/held.ts";
import type { EntryNoticeContext } from "../../../cairn/session/background/outbox.ts";
import { receiptView } from "../../../cairn/protocol/receipt.ts";
import { asBudgetEnd } from "../../../cairn/protocol/stream/budget-question.ts";

/** Messages to people on channels about an entry: an answer, a question, a card, and the end of a card. */

/** A row of the outbox. `target`: a place, or a person whose place is looked up when it is sent. */
export interface ChannelNotice {
  /** the same on every try, and no other notice's */
  readonly id: string;
  readonly target: string;
  readonly note: ChannelNote;
  /** milliseconds to wait, so that a person with the page open may decide there */
  readonly waitMs: number;
}

/** A question of a run whose options are buttons. */
export interface AskedOptions {
  readonly question: string;
  readonly options: readonly string[];
  /** who asked for the run, and may answer */
  readonly subject: string;
  /** milliseconds since 1970 */
  readonly expiresAt: number;
}

/** The stored content of a row. */
export type ChannelNote = {
  /** whose quiet hours it waits for; absent of what a person asked for now, and of failures */
  readonly quiet?: QuietMark;
} & (
  | {
      readonly type: "message";
      readonly kind: MessageKind;
      readonly text: string;
      readonly address: Address;
      /** parts that an earlier try has sent */
      readonly skip?: number;
      /** the question that it asks, with options; absent for any other message */
      readonly asks?: AskedOptions;
    }
  | { readonly type: "card"; readonly approval: string; readonly subject: string }
  | { readonly type: "card_end"; readonly approval: string }
  | { readonly type: "budget"; readonly question: string; readonly subject: string }
  | { readonly type: "budget_end"; readonly question: string }
  | { readonly type: "question_end"; readonly question: string }
);

/** Facts that the entry itself does not have. */
export interface ChannelNoticeContext extends EntryNoticeContext {
  /** questions of a run whose options are shown as buttons somewhere, and are not about to be removed */
  readonly shownQuestions: (run: string) => readonly string[];
}

const CARD_WAIT_MS = 10_000;

export function channelNoticesOf(
  session: string,
  entry: Entry,
  around: ChannelNoticeContext,
): ChannelNotice[] {
  return [
    ...noticesOf(session, entry, around),
    ...budgetNotices(session, entry, around),
    ...questionEnds(session, entry, around),
  ];
}

/** An answer, or the end of its run, ends a question: its buttons go. */
function questionEnds(session: string, entry: Entry, around: ChannelNoticeContext): ChannelNotice[] {
  if (entry.kind !== "human_answered" && entry.kind !== "run_ended") return [];
  const shown = around.shownQuestions(entry.run ?? "");
  const ended =
    entry.kind === "run_ended" ? shown : shown.filter((question) => question === entry.body.question);
  return ended.map((question) => ({
    id: `${session}.${entry.seq}.${entry.at}.question_end`,
    target: `card:${question}`,
    note: { type: "question_end", question },
    waitMs: 0,
  }));
}

/** The owner is asked whether a run may have more; whatever makes that useless ends the card. */
function budgetNotices(session: string, entry: Entry, around: ChannelNoticeContext): ChannelNotice[] {
  const id = `${session}.${entry.seq}.${entry.at}`;
  if (entry.kind === "budget_asked") {
    const { question } = entry.body;
    const subject = around.owner();
    if (subject === null) return [];
    const asked = around.requestOf(entry.run ?? "");
    const isFromChannel = asked?.origin !== undefined;
    const note = { type: "budget", question, subject, ...quietFor(asked, subject) } as const;
    return [
      {
        id: `${id}.budget`,
        target: `person:${subject}`,
        note,
        waitMs: isFromChannel ? 0 : CARD_WAIT_MS,
      },
    ];
  }
  const question = asBudgetEnd(entry) === null ? null : around.budgetQuestion(entry.run ?? "", entry.seq);
  if (question === null) return [];
  const note = { type: "budget_end", question } as const;
  return [{ id: `${id}.budget_end`, target: `card:${question}`, note, waitMs: 0 }];
}

function noticesOf(session: string, entry: Entry, around: ChannelNoticeContext): ChannelNotice[] {
  const id = `${session}.${entry.seq}.${entry.at}`;
  const toOrigin = (
    kind: MessageKind,
    text: string,
    question: BodyOf<"human_asked"> | null = null,
  ): ChannelNotice[] => {
    const asked = around.requestOf(entry.run ?? "");
    const origin = asked?.origin;
    if (origin === undefined || text.trim() === "") return [];
    const quiet = kind === "failure" ? {} : quietFor(asked, asked?.actor ?? "");
    const asks =
      question === null || question.options.length === 0
        ? {}
        : {
            asks: {
              question: question.question,
              options: question.options,
              subject: asked?.actor ?? "",
              expiresAt: question.expiresAt,
            },
          };
    const note = { type: "message", kind, text, address: origin, ...quiet, ...asks } as const;
    return [{ id: `${id}.origin`, target: `place:${addressName(origin)}`, note, waitMs: 0 }];
  };
  switch (entry.kind) {
    case "human_asked":
      return toOrigin("question", questionText(entry.body), entry.body);
    case "approval_requested": {
      if (entry.body.policy !== undefined) return [];
      const view = around.approval(entry.body.approval);
      if (view === null) return [];
      const asked = around.requestOf(entry.run ?? "");
      const isFromChannel = asked?.origin !== undefined;
      return around.deciders(view).map((subject) => ({
        id: `${id}.card`,
        target: `person:${subject}`,
        waitMs: isFromChannel ? 0 : CARD_WAIT_MS,
        note: { type: "card", approval: entry.body.approval, subject, ...quietFor(asked, subject) },
      }));
    }
    case "approval_decided":
    case "approval_cancelled": {
      const { approval } = entry.body;
      return [
        { id: `${id}.end`, target: `card:${approval}`, note: { type: "card_end", approval }, waitMs: 0 },
      ];
    }
    case "run_ended": {
      const run = entry.run ?? "";
      const kind = entry.body.class === "answered" || entry.body.class === "partial" ? "final" : "failure";
      return toOrigin(kind, answerText(entry.body, around.answer(run), around.requestOf(run)));
    }
    case "note": {
      const { digest, text } = entry.body;
      if (digest?.place === undefined) return [];
      const note = { type: "message", kind: "progress", text, address: digest.place } as const;
      return [{ id: `${id}.digest`, target: `place:${addressName(digest.place)}`, note, waitMs: 0 }];
    }
    default:
      return [];
  }
}

/** A request that a person has just made ignores quiet hours. */
export function quietFor(
  asked: Pick<BodyOf<"run_queued">, "source" | "askedAt"> | null,
  subject: string,
): Pick<ChannelNote, "quiet"> {
  if (asked === null || laneOf(asked.source) === "user") return {};
  const { askedAt } = asked;
  return { quiet: { subject, ...(askedAt === undefined ? {} : { askedAt }) } };
}

/** The answer below its receipt; of a run that has answered by messages the receipt alone, where none of them carried it. */
function answerText(
  end: BodyOf<"run_ended">,
  answer: BodyOf<"answer"> | null,
  asked: BodyOf<"run_queued"> | null,
): string {
  if (answer === null) return "";
  const isByMessages = asked?.spec.deliver === "tool" && end.class === "answered";
  const receipt = receiptView(answer, { outcome: end.class, reason: end.reason });
  const lines = receipt?.lines ?? [];
  const text = isByMessages ? "" : answer.text;
  if (text.trim() !== "") return underReceipt(lines, text);
  if (receipt === null || answer.receipt.sent === true) return "";
  const acts = [...receipt.changed, ...receipt.failed, ...receipt.unknown];
  // A run that found nothing to report stays silent.
  return isByMessages || acts.some(({ tool }) => tool !== SEND_MESSAGE) ? underReceipt(lines, "") : "";
}

function questionText({ text, options, context }: BodyOf<"human_asked">): string {
  const choices = options.map((option) => `- ${option}`).join("\n");
  return [context ?? "", text, choices].filter((part) => part !== "").join("\n\n");
}
