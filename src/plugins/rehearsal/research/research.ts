import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { startOf } from "../../../cairn/core/text/cut.ts";
import { objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import type { ScriptedCall } from "../../../cairn/models/script/reply.ts";
import { look, type Action, type Context } from "../context.ts";
import { readAll, reasonOf, type Plan } from "../plan.ts";
import {
  findAnswers,
  findingInWords,
  findNotes,
  findSeasons,
  isInSeason,
  parsePages,
  valuesIn,
} from "./findings.ts";
import type { Finding, ReadPage } from "./findings.ts";
import { hasName, MONTHS, parseQuestion, type Question } from "./question.ts";

/** Research: searches the web, reads pages, and answers with quotes and citations. */

const PAGES_MAX = 5;
/** Pages that list many things are read three times. */
const LISTS_MAX = 2;
const QUERY_CHARS_MAX = 400;
const NOTES_MAX = 6;
/** searches before it gives up */
const SEARCHES_MAX = 2;

interface Answer {
  /** a conclusion before the findings, such as "Yes:"; empty where there is none */
  readonly lead: string;
  readonly findings: readonly Finding[];
  /** a finding of an older page that contradicts */
  readonly older: readonly Finding[];
}

export const research: Action = function* (context, { value = "" }) {
  const answer = yield* findAnswer(context, parseQuestion(value));
  if (answer === null) return;
  const lines = answer.findings.map((finding) => `${findingInWords(finding)} [${finding.evidence}]`);
  const isList = lines.length > 1;
  const body = isList ? lines.map((line) => `- ${line}`).join("\n") : lines.join("");
  const older = answer.older.map((finding) => {
    const date = finding.page.date.slice(0, 10);
    return `An older page says otherwise: ${findingInWords(finding)} (${date}) [${finding.evidence}]`;
  });
  // The sources of the citations are listed below every answer.
  const head = answer.lead === "" ? body : `${answer.lead}${isList ? "\n\n" : " "}${body}`;
  context.report("info", [head, ...older].join("\n\n"));
};

/** As `research`. The answer itself is sent; a message with the same words would be a duplicate. */
export const sendResearch: Action = function* (context, slots) {
  yield* research(context, slots);
  context.report("note", "My answer is sent to where you wrote from.");
};

/** Searches and reads until there is an answer; null where there is none, which is reported. */
function* findAnswer(context: Context, question: Question): Plan<Answer | null> {
  const missing = ["web_search", "visit"].filter((tool) => !context.tools.has(tool));
  if (missing.length > 0) {
    const are = missing.length === 1 ? "is" : "are";
    const how = "docs/research.md of Cairn says how to set the web up";
    context.report(
      "failed",
      `I could not look that up: ${missing.join(" and ")} ${are} not offered here (${how}).`,
    );
    return null;
  }
  const pages: ReadPage[] = [];
  const seen = new Set<string>();
  for (let round = 1; round <= SEARCHES_MAX; round++) {
    const queries = queriesOf(question, round);
    const act = `search the web for ${queries.join("; ")}`;
    const found = yield* look(context, act, "web_search", { queries });
    if (found === null) return null;
    const urls = choosePages(found, question)
      .filter((url) => !seen.has(url))
      .slice(0, question.wanted === null ? PAGES_MAX : LISTS_MAX);
    if (urls.length === 0) continue;
    urls.forEach((url) => seen.add(url));
    const calls = goalsOf(question).map((goal): ScriptedCall => ["visit", { urls, goal }]);
    const visits = yield* readAll(context.tools, `I will read ${urls.length} of the pages.`, calls);
    for (const visit of visits)
      if (visit.ok) pages.push(...parsePages(visit.value));
      else context.report("note", `Pages could not be read: ${reasonOf(visit.error)}.`);
    const answer = answerFrom(pages, question);
    if (answer !== null) return answer;
  }
  const text = startOf(question.text, 160);
  context.report("info", `I did not find it: no page that I read answers "${text}".`);
  return null;
}

function queriesOf({ text, names, words, wanted }: Question, round: number): string[] {
  if (round > 1) return [[...names, ...words].join(" ") || text];
  return [startOf(text, QUERY_CHARS_MAX), ...(wanted === null ? [] : [`all ${words.join(" ")}`])];
}

/** The goals of the visits. The season of a list may have begun in an earlier month. */
function goalsOf({ text, kind, month, wanted }: Question): string[] {
  if (wanted === null || month === null) return [`${startOf(text, QUERY_CHARS_MAX)} ${kind.hints}`.trim()];
  const before = MONTHS.slice(Math.max(0, month - 3), month - 1).join(" ");
  return [MONTHS[month - 1] ?? "", before, wanted.join(" ")].filter((goal) => goal !== "");
}

/** Addresses of the results: those about the question first, PDFs last; for a list the newest first. */
function choosePages(found: JsonObject, { wanted, names }: Question): string[] {
  const hits = objectsAt(found, "results").map((result) => {
    const url = textAt(result, "url") ?? "";
    const words = `${textAt(result, "title") ?? ""}. ${textAt(result, "description") ?? ""}`;
    const missing = names.filter((name) => !hasName(words, name)).length;
    const cost = missing + (/\.pdf$/iu.test(url) ? names.length + 1 : 0);
    return { url, cost, published: wanted === null ? "" : (textAt(result, "published") ?? "") };
  });
  const ranked = hits.toSorted((one, other) => {
    const newer = one.published === other.published ? 0 : one.published > other.published ? -1 : 1;
    return one.cost - other.cost || newer;
  });
  return [...new Set(ranked.map(({ url }) => url))].filter((url) => url !== "");
}

function answerFrom(pages: readonly ReadPage[], question: Question): Answer | null {
  if (question.wanted !== null) return listAll(pages, question, question.wanted);
  if (question.kind.value === null) {
    const findings = findNotes(pages, question, NOTES_MAX);
    return findings.length === 0 ? null : { lead: "", findings, older: [] };
  }
  const all = findAnswers(pages, question);
  const first = all.find((finding) => yesOrNo(finding, question) !== "") ?? all[0];
  if (first === undefined) return null;
  const values = ({ text }: Finding): string => valuesIn(text, question.kind.value).join(" ");
  const older = all.filter(
    (one) =>
      first.shared.length > 0 &&
      one.shared.join(" ") === first.shared.join(" ") &&
      one.page.date !== "" &&
      one.page.date < first.page.date &&
      values(one) !== values(first),
  );
  return { lead: yesOrNo(first, question), findings: [first], older: older.slice(0, 1) };
}

/** "Yes:" or "No:" for a question about a month; empty otherwise. */
function yesOrNo({ page, evidence, text }: Finding, question: Question): string {
  const [season] = findSeasons([{ ...page, quotes: [{ id: evidence, quote: text }] }]);
  if (season === undefined || question.month === null) return "";
  return isInSeason(season, question, question.month) ? "Yes:" : "No:";
}

/** Everything of that kind whose season includes the month. */
function listAll(pages: readonly ReadPage[], question: Question, wanted: readonly string[]): Answer | null {
  const seasons = findSeasons(pages).filter(({ page, name, text }) =>
    [...question.names, ...wanted].every((one) => hasName(`${page.title}. ${name}. ${text}`, one)),
  );
  if (seasons.length === 0) return null;
  const findings = seasons.filter((season) => isInSeason(season, question, question.month ?? 0));
  const lead = `${findings.length} of the ${seasons.length} that the pages tell of`;
  if (findings.length === 0) return { lead: `${lead}.`, findings: seasons.slice(0, 1), older: [] };
  return { lead: `${lead}:`, findings, older: [] };
}
