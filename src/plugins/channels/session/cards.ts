import type { Channel, Outgoing } from "../channel.ts";
import { boldBlock, codeBlock, plainBlock, type Block } from "../text/blocks.ts";
import { escapeMarkdown } from "../text/plain.ts";
import {
  decisionLines,
  decisionText,
  LEADS,
  type DecisionText,
} from "../../../cairn/core/text/decision-text.ts";
import { visibleLine } from "../../../cairn/core/text/visible.ts";
import type { ApprovalView } from "../../../cairn/protocol/approval.ts";
import type { QuestionState } from "../../../cairn/session/background/outbox.ts";
import {
  budgetEndWords,
  budgetWords,
  type BudgetQuestionView,
} from "../../../cairn/protocol/stream/budget-question.ts";

/** An approval as a message. Has an approve button only if the channel shows the whole decision in that message. */

/** The text of a decision as this channel can show it: whole, or not complete. */
export const channelText = (view: ApprovalView, channel: Pick<Channel, "fits"> | null): DecisionText =>
  decisionText(view, (whole) => channel?.fits?.(messageOf(whole)) === true);

/** `tokens.approve` is null where the text is not complete; then `url` leads to where all of it is. */
export function cardMessage(
  text: DecisionText,
  tokens: { readonly approve: string | null; readonly deny: string },
  url: string | null,
): Outgoing {
  const { approve, deny } = tokens;
  const denies = { label: "Deny", token: deny, style: "danger" } as const;
  if (text.complete && approve !== null)
    return {
      ...messageOf(text),
      buttons: [{ label: "Approve", token: approve, style: "primary" }, denies],
    };
  const { buttons = [], ...linked } = linkedMessage(text, url);
  return { ...linked, buttons: [...buttons, denies] };
}

/** Where nothing can be pressed: the link leads to the page where it is decided. `url` is null where there is no link. */
export const linkedCard = (view: ApprovalView, url: string | null): Outgoing =>
  linkedMessage(decisionText(view, isShort), url);

function linkedMessage(text: DecisionText, url: string | null): Outgoing {
  const message = messageOf(text);
  if (url !== null) return { ...message, buttons: [{ label: "Look and decide", url }] };
  return {
    ...message,
    blocks: [...(message.blocks ?? []), plainBlock("Decide it on the page: it waits there.")],
  };
}

/** A message that only links to the decision does not need all of its text. */
const LINKED_CHARS_MAX = 20_000;
const isShort = (text: DecisionText): boolean => decisionLines(text).join("\n").length <= LINKED_CHARS_MAX;

/** The text in blocks, none of which is read as Markdown. */
function messageOf(text: DecisionText): Outgoing & { readonly blocks: readonly Block[] } {
  const blocks = text.sections.flatMap(({ kind, heading, lines }): Block[] => {
    const body = lines.map((line) => `${LEADS[kind].trimStart()}${line}`).join("\n");
    const isCode = kind === "changes" || kind === "arguments" || kind === "asked";
    return [
      ...(heading === null ? [] : [boldBlock(`${heading}:`)]),
      isCode ? codeBlock(body) : plainBlock(body),
    ];
  });
  return {
    kind: "question",
    title: text.title,
    text: decisionLines(text).map(escapeMarkdown).join("\n\n"),
    blocks: [boldBlock(text.title), ...blocks],
  };
}

/** The same card without buttons, with what became of it. */
export function endedCard(view: ApprovalView): Outgoing {
  const by = view.result === null ? "" : ` by ${escapeMarkdown(view.result.by)}`;
  const became = `**${view.state.charAt(0).toUpperCase()}${view.state.slice(1)}${by}**`;
  return { kind: "progress", title: view.title, text: [headOf(view), became].join("\n\n") };
}

/** The question of a run whether it may have more. */
export function budgetCard(
  view: BudgetQuestionView,
  tokens: { readonly extend: string; readonly finish: string },
): Outgoing {
  return {
    ...budgetQuestion(view),
    buttons: [
      { label: "Extend by half", token: tokens.extend, style: "primary" },
      { label: "Finish with what there is", token: tokens.finish },
    ],
  };
}

/** A card for a channel without buttons: `url` is the conversation on the page; null if its address is unknown. */
export function linkedBudgetCard(view: BudgetQuestionView, url: string | null): Outgoing {
  const where = "Answer it in the conversation on the page: it waits there.";
  const lines = budgetQuestion(view);
  if (url === null) return { ...lines, text: `${lines.text}\n\n${where}` };
  return { ...lines, buttons: [{ label: "Look and answer", url }] };
}

function budgetQuestion(view: BudgetQuestionView): Outgoing {
  const { title, adds, cost } = budgetWords(view);
  const lines = [
    `**${escapeMarkdown(title)}**`,
    `${adds} ${cost}`,
    "Without an answer it ends with what there is.",
  ];
  return { kind: "question", title, text: lines.join("\n\n") };
}

/** The same without buttons, with what became of it. */
export function endedBudgetCard(view: BudgetQuestionView): Outgoing {
  const text = `**${escapeMarkdown(budgetWords(view).title)}**\n\n**${escapeMarkdown(budgetEndWords(view) ?? "")}**`;
  return { kind: "progress", text };
}

/** A question without its buttons, with the choice that was made. */
export function endedQuestion({ question: asked, answered }: QuestionState): Outgoing {
  const { context, text, options } = asked;
  const parts = [context ?? "", text, `**${questionEndWords(options, answered)}**`];
  return { kind: "progress", text: parts.filter((part) => part !== "").join("\n\n") };
}

function questionEndWords(options: readonly string[], answered: QuestionState["answered"]): string {
  if (answered === null) return "No answer is needed any more";
  const { value, expired, actor } = answered;
  if (expired)
    return value === null ? "Nobody answered in time" : `Nobody answered in time: ${escapeMarkdown(value)}`;
  // Words that are none of the options may be private: they were not written here.
  return value !== null && options.includes(value)
    ? `Answered by ${escapeMarkdown(actor)}: ${escapeMarkdown(value)}`
    : `Answered by ${escapeMarkdown(actor)} in other words`;
}

const headOf = ({ title, summary }: ApprovalView): string =>
  `**${escapeMarkdown(visibleLine(title))}**\n\n${escapeMarkdown(visibleLine(summary))}`;
