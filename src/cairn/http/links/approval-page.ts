import { ownValue } from "../../core/log/json.ts";
import { hashOf } from "../../core/log/digest.ts";
import { decisionText, type DecisionSection } from "../../core/text/decision-text.ts";
import { visibleLine, visibleText } from "../../core/text/visible.ts";
import { escape } from "../kit/responses.ts";
import type { ApprovalView } from "../../protocol/approval.ts";
import { SEEN_STYLE } from "../../protocol/decision-gate.ts";
import { effectWords } from "../../protocol/effect-words.ts";
import type { ApprovalLink } from "../../protocol/signed/approval-link.ts";
import type { LinkedApproval } from "../../session/api/session-api.ts";

/**
 * The page behind a signed link: the request, the person it is for, and two buttons. No script; everything on it is
 * text. The model's own words are separate, under its name.
 */

export interface LinkNotice {
  readonly kind: "done" | "refused";
  readonly text: string;
}

/** `link` names the reader, and the request at the time of the link. */
export function approvalPage(
  { approval, objective, words, objection }: LinkedApproval,
  link: Pick<ApprovalLink, "subject" | "digest">,
  notice: LinkNotice | null,
  now: number,
): string {
  const { approvers, needed, votes } = approval;
  const text = decisionText(approval);
  const standing = standingOf(approval, link, now) ?? objection?.message ?? null;
  const body = [
    `<p class="who">${standing === null ? "Cairn asks" : "A link for"} <b>${escape(link.subject)}</b></p>`,
    `<h1>${escape(text.title)}</h1>`,
    notice === null || (notice.kind === "done" && approval.state !== "pending")
      ? ""
      : `<p class="notice ${notice.kind}" role="status">${escape(notice.text)}</p>`,
    standing === null ? "" : `<p class="state ${approval.state}">${escape(standing)}</p>`,
    ...text.sections.map(sectionHtml),
    section("Votes", list(votes.map((vote) => voteText(vote, now)))),
    facts([
      ["Asked by", approval.requester],
      ["Purpose", objective === null ? null : visibleText(objective)],
      ["Why asked", visibleLine(approval.why)],
      ["Decided by", `${needed > 1 ? `${needed} of ` : ""}${approverNames(approvers)}`],
      ["Tool", approval.tool],
      ["Effect", effectWords(approval.effect)],
      ["Time to decide", timeText(approval.expiresAt, now), exactTime(approval.expiresAt)],
    ]),
    words === null
      ? ""
      : section("In the agent’s words", `<blockquote>${escape(visibleText(words))}</blockquote>`),
    standing === null && text.complete ? FORM : "",
  ];
  return page(text.title, body.join("\n"));
}

/** A page with only a message. */
export const messagePage = (title: string, text: string): string =>
  page(title, `<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>`);

/** Why there is nothing to press, or null where there is. */
function standingOf(
  approval: ApprovalView,
  link: Pick<ApprovalLink, "subject" | "digest">,
  now: number,
): string | null {
  const { state, result, decidedAt, votes, needed } = approval;
  const when = decidedAt === null ? "" : `, ${timeText(decidedAt, now)}`;
  const because = result === null || result.reason === null ? "" : ` “${result.reason}”`;
  if (state === "approved")
    return result?.decision === "edit"
      ? `Approved with changes by ${result.by}${when}.${because}`
      : `Approved by ${result?.by ?? "policy"}${when}.${because}`;
  if (state === "denied") return `Denied by ${result?.by ?? "policy"}${when}.${because}`;
  if (state === "expired") return `Nobody decided in time${when}. It was not done.`;
  if (state === "cancelled") return "The run was stopped. There is nothing left to decide.";
  if (approval.digest !== link.digest)
    return "The request has changed since this link was made. Ask for a new link.";
  // One no ends it.
  if (!votes.some((vote) => vote.subject === link.subject)) return null;
  const left = Math.max(1, needed - votes.length);
  return `You approved. ${left === 1 ? "One more person has" : `${left} more people have`} to agree.`;
}

/** The approvers of an approval, as a person reads them. */
export const approverNames = (approvers: readonly string[]): string =>
  approvers.map((one) => ownValue(GROUPS, one) ?? one).join(", ");

const GROUPS: { readonly [name: string]: string } = {
  owner: "the owner of the session",
  "*": "anyone who may approve",
};

const FORM = `<form method="post">
<label for="reason">Reason (optional)</label>
<textarea id="reason" name="reason" rows="2" maxlength="1000"></textarea>
<div class="buttons"><button class="deny" name="decision" value="deny">Deny</button><button class="approve" name="decision" value="approve">Approve</button></div>
<p class="small">Your approval covers exactly what is shown here.</p>
</form>`;

const section = (title: string, html: string): string =>
  html === "" ? "" : `<section><h2>${title}</h2>${html}</section>`;

/** The whole content, one line each: nothing that will run is hidden. */
function sectionHtml({ kind, heading, lines }: DecisionSection): string {
  const title = heading === null ? null : escape(heading);
  switch (kind) {
    case "warnings":
      return lines.map((line) => `<p class="warning">⚠ ${escape(line)}</p>`).join("\n");
    case "summary":
    case "cut":
      return `<p class="summary">${lines.map(escape).join("<br>")}</p>`;
    case "impact":
      return section(title ?? "", list(lines));
    case "changes":
    case "arguments":
    case "asked":
      return section(title ?? "", `<pre>${lines.map(escape).join("\n")}</pre>`);
  }
}

const list = (items: readonly string[]): string =>
  items.length === 0 ? "" : `<ul>${items.map((item) => `<li>${escape(item)}</li>`).join("")}</ul>`;

const facts = (rows: readonly (readonly [name: string, value: string | null, title?: string])[]): string =>
  `<dl>${rows
    .flatMap(([name, value, title]) =>
      value === null
        ? []
        : [
            `<dt>${name}</dt><dd${title === undefined ? "" : ` title="${escape(title)}"`}>${escape(value)}</dd>`,
          ],
    )
    .join("")}</dl>`;

const voteText = ({ subject, decision, reason, at }: ApprovalView["votes"][number], now: number): string =>
  `${subject}: ${decision}, ${timeText(at, now)}${reason === null ? "" : ` “${reason}”`}`;

const MINUTE = 60_000;
const UNITS = [
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
] as const;
const relative = new Intl.RelativeTimeFormat("en");

/** `in 3 hours`, `5 minutes ago`: the page has no script, so it does not know the clock of who reads it. */
function timeText(iso: string, now: number): string {
  const away = Date.parse(iso) - now;
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(away) >= size) ?? ["minute", MINUTE];
  return Math.abs(away) < MINUTE ? "now" : relative.format(Math.trunc(away / ms), unit);
}

/** `2026-11-21 12:00 UTC`, for the tooltip */
const exactTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

const STYLE = `:root{color-scheme:light dark;--ink:#1d2421;--soft:#56605b;--paper:#f7f6f2;--card:#fff;--line:#dcd9d0;--good:#22643f;--bad:#9b2c1f;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e9ebe7;--soft:#a5ada8;--paper:#161a18;--card:#1f2421;--line:#353c38;--good:#7fd0a0;--bad:#f19a8c;--on:#161a18}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem 1rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:38rem;margin:0 auto;padding:1.25rem;display:grid;gap:1rem;grid-template-columns:minmax(0,1fr);background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1,h2,p,ul,dl,dd,pre,blockquote{margin:0}
h1{font-size:1.5rem;line-height:1.25}
h2{font-size:.875rem;color:var(--soft);font-weight:600;margin-bottom:.375rem}
.who,.small{color:var(--soft);font-size:.875rem}
.summary{font-size:1.125rem}
ul{padding-left:1.25rem}
pre{padding:.75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--paper);font:.875rem/1.45 ui-monospace,monospace;white-space:pre-wrap}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem .75rem;font-size:.9375rem}
dt{color:var(--soft)}
blockquote{padding-left:.75rem;border-left:3px solid var(--line);color:var(--soft);white-space:pre-wrap}
dd,li,.state{white-space:pre-wrap}
.notice,.state,.warning{padding:.625rem .75rem;border-radius:.5rem;border:1px solid var(--line);background:var(--paper)}
.done,.approved{border-color:var(--good);color:var(--good)}
.refused,.denied,.warning{border-color:var(--bad);color:var(--bad)}
form{display:grid;gap:.5rem;border-top:1px solid var(--line);padding-top:1rem}
label{font-size:.875rem;color:var(--soft)}
textarea{width:100%;padding:.625rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:.5rem}
.buttons{display:grid;grid-template-columns:1fr 1fr;gap:.75rem}
${SEEN_STYLE}
button{min-height:3rem;font:600 1rem system-ui,sans-serif;border-radius:.5rem;border:1px solid;cursor:pointer}
.deny{color:var(--bad);background:var(--card);border-color:var(--bad)}
.approve{color:var(--on);background:var(--good);border-color:var(--good)}
:focus-visible{outline:3px solid var(--soft);outline-offset:2px}`;

/** Returns the hash of the page's style, for its content security policy. */
export const styleHash = (): string => hashOf(STYLE);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
