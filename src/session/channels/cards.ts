import type { Outgoing } from "../../channels/channel.ts";
import { literal } from "../../channels/text/plain.ts";
import type { ApprovalView } from "../../wire/approval.ts";
import { budgetEndWords, budgetWords, type BudgetQuestionView } from "../../wire/stream/budget-question.ts";

/** An approval as a message with buttons. What it would do is shown as it was computed, never in a model's words. */

const LINES_MAX = 12;

export function cardMessage(
  view: ApprovalView,
  tokens: { readonly approve: string; readonly deny: string },
  all: { readonly token: string; readonly count: number } | null = null,
): Outgoing {
  return {
    kind: "question",
    text: [headOf(view), ...bodyOf(view)].join("\n\n"),
    buttons: [
      { label: "Approve", token: tokens.approve, style: "primary" },
      { label: "Deny", token: tokens.deny, style: "danger" },
      ...(all === null ? [] : [{ label: `Approve all ${all.count}`, token: all.token }]),
    ],
  };
}

/** Where nothing can be pressed: looking at the page behind the link decides nothing. `url` is null where there is no link. */
export function linkedCard(view: ApprovalView, url: string | null): Outgoing {
  const asked = [headOf(view), ...bodyOf(view)];
  if (url === null) asked.push("Decide it on the page: it waits there.");
  return {
    kind: "question",
    title: view.title,
    text: asked.join("\n\n"),
    buttons: url === null ? [] : [{ label: "Look and decide", url }],
  };
}

/** The same card without buttons, with what became of it. */
export function endedCard(view: ApprovalView): Outgoing {
  const by = view.result === null ? "" : ` by ${literal(view.result.by)}`;
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

/** Where nothing can be pressed: `url` is the conversation on the page; null where nobody knows its address. */
export function linkedBudgetCard(view: BudgetQuestionView, url: string | null): Outgoing {
  const where = "Answer it in the conversation on the page: it waits there.";
  const asked = budgetQuestion(view);
  if (url === null) return { ...asked, text: `${asked.text}\n\n${where}` };
  return { ...asked, buttons: [{ label: "Look and answer", url }] };
}

function budgetQuestion(view: BudgetQuestionView): Outgoing {
  const { title, adds, cost } = budgetWords(view);
  const asked = [`**${literal(title)}**`, `${adds} ${cost}`, "Without an answer it ends with what there is."];
  return { kind: "question", title, text: asked.join("\n\n") };
}

/** The same without buttons, with what became of it. */
export function endedBudgetCard(view: BudgetQuestionView): Outgoing {
  const text = `**${literal(budgetWords(view).title)}**\n\n**${literal(budgetEndWords(view) ?? "")}**`;
  return { kind: "progress", text };
}

const headOf = ({ title, summary }: ApprovalView): string => `**${literal(title)}**\n\n${literal(summary)}`;

function bodyOf({ impact, warnings, why, tainted }: ApprovalView): string[] {
  // What warns stands among what it does, too.
  const does = impact.filter((one) => !warnings.includes(one));
  const lines = [...warnings.map((one) => `⚠ ${one}`), ...does];
  const more = lines.length > LINES_MAX ? [`and ${lines.length - LINES_MAX} more`] : [];
  const listed = [...lines.slice(0, LINES_MAX), ...more].map((line) => `- ${literal(line)}`).join("\n");
  const outside = tainted ? ["The run has read content from outside."] : [];
  return [listed, why === null ? "" : `Why you are asked: ${literal(why)}`, ...outside].filter(
    (part) => part !== "",
  );
}
