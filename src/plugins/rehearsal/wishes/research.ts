import { startOf } from "../../../cairn/core/text/cut.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import type { Course } from "../course.ts";
import { readTogether } from "../course.ts";
import { objectAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import {
  findingsOf,
  isAsAsked,
  notesOf,
  pagesOf,
  seasonsOf,
  valuesIn,
  wordedAs,
  type Finding,
  type ReadPage,
} from "../research/extract.ts";
import { holdsName, MONTHS, parseQuestion, type Question } from "../research/question.ts";
import type { Desk } from "../site.ts";
import { because, change, keepPage, look, lookAtSite, namesakes, readPage } from "../site.ts";
import type { Slots } from "../slots.ts";

/** What is found out on the web: searched, read, and said with the passages that bear it out. Or written on a page. */

const URLS_MAX = 5;
const LISTS_MAX = 2;
const GOAL_CHARS_MAX = 400;
const NOTES_MAX = 6;
/** searches before it gives up */
const ROUNDS_MAX = 2;

/** A result of a search. */
interface Hit {
  readonly url: string;
  /** title and description */
  readonly words: string;
  readonly published: string;
}

/** What the web says to a question. */
export interface Found {
  /** before the findings: the answer in a word, where the rules know one */
  readonly lead: string;
  readonly findings: readonly Finding[];
  /** what older pages say otherwise */
  readonly otherwise: readonly Finding[];
}

/** Answers a question with what pages of the web say, and names them. */
export function* research(desk: Desk, { value = "" }: Slots): Course<void> {
  const found = yield* findOut(desk, parseQuestion(value));
  if (found === null) return;
  const lines = found.findings.map((one) => `${wordedAs(one)} [${one.evidence}]`);
  const said = lines.length === 1 ? (lines[0] ?? "") : lines.map((line) => `- ${line}`).join("\n");
  const otherwise = found.otherwise.map(
    (one) => `An older page says otherwise: ${wordedAs(one)} (${dateOf(one.page)}) [${one.evidence}]`,
  );
  const answer = [found.lead === "" || lines.length > 1 ? "" : `${found.lead} `, said].join("");
  const head = lines.length > 1 && found.lead !== "" ? [found.lead] : [];
  // What it cites is listed below every answer.
  desk.say("told", [...head, answer, ...otherwise].join("\n\n"));
}

/** As `research`. The answer is what is sent: a second message with the same words would be one too many. */
export function* sendResearch(desk: Desk, slots: Slots): Course<void> {
  yield* research(desk, slots);
  desk.say("note", "My answer is sent to where you wrote from.");
}

/** Finds it out, and makes a page of it as a draft, with a link to each source. */
export function* writeResearch(desk: Desk, { value = "", names }: Slots): Course<void> {
  const name = yield* freeName(desk, value, names);
  if (name === null) return;
  const found = yield* findOut(desk, parseQuestion(value));
  desk.subject = [];
  if (found === null) return;
  const at = yield* makeDraft(desk, name, [
    { heading: "What we found", description: listOf(found) },
    { heading: "Sources", description: sourceList(found.findings) },
  ]);
  if (at === null) return;
  const sources = sourcesOf(found.findings);
  const marks = found.findings.map(({ evidence }) => `[${evidence}]`);
  const what = `what ${sources.length === 1 ? "1 page says" : `${sources.length} pages say`}`;
  desk.say(
    "done",
    `The page "${name}" is made as a draft, with ${what} and links to them${at}. It rests on ${[...new Set(marks)].join(" ")}.`,
  );
}

/** A topic as a heading: without its article, and with a capital letter. */
export function titleOf(topic: string): string {
  const title = topic.replace(/^(?:the|a|an|our|about)\s/iu, "");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** What the page is called: as the person said, else after its topic. Null where one is called so already, which is then asked. */
export function* freeName(desk: Desk, topic: string, names: Slots["names"]): Course<string | null> {
  const [given = titleOf(topic)] = names ?? [];
  const name = startOf(given, 120).trim();
  const site = yield* lookAtSite(desk);
  if (site === null) return null;
  const [holder] = namesakes(site, name);
  if (holder === undefined) return name;
  desk.say(
    "asked",
    `There is already a page "${holder.name}" (${holder.slug ?? holder.id}), so I made none. What should the new one be called?`,
  );
  return null;
}

/** Makes the page. How the answer goes on to say where it is; null where it was not made, which is then reported. */
export function* makeDraft(
  desk: Desk,
  name: string,
  parts: readonly { readonly heading: string; readonly description: string }[],
): Course<string | null> {
  const input: JsonObject = {
    name,
    meta: { title: name, description: startOf(`${name}: what the web says, with its sources.`, 160) },
    sections: [
      { template: "hero", content: { title: name, subtitle: "What we found on the web, and where." } },
      ...parts.map((part) => ({ template: "feature", content: { ...part, items: [] } })),
    ],
  };
  const made = yield* change(desk, `create the page "${name}" as a draft`, "page_create", input);
  if (made === null) return null;
  const head = objectAt(made, "page") ?? made;
  const page = { id: "", name, slug: null, ...readPage(head)[0], status: "draft", dirty: true } as const;
  keepPage(desk, page);
  desk.subject = [page];
  const address = textAt(objectAt(made, "preview"), "path") ?? textAt(head, "url");
  return address === null ? "" : `; its address is ${address}`;
}

/** What was found, each with a link to where. */
export const listOf = ({ findings, lead }: Found): string =>
  bulleted(
    findings.map((one) => `${plain(wordedAs(one).replaceAll(/^"|"$/gu, ""))} (${linkTo(one.page)})`),
    lead,
  );

const sourceList = (findings: readonly Finding[]): string =>
  bulleted(sourcesOf(findings).map(({ page }) => `${linkTo(page)} (${dateOf(page)})`));

/** Searches, reads and finds; null when nothing was found, which is then reported. */
export function* findOut(desk: Desk, question: Question): Course<Found | null> {
  const missing = ["web_search", "visit"].filter((tool) => !desk.tools.has(tool));
  if (missing.length > 0) {
    desk.say(
      "failed",
      `I could not look that up: ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not offered here (docs/research.md of Cairn says how to set the web up).`,
    );
    return null;
  }
  const parts =
    question.compared === null
      ? [question]
      : question.compared.things.map((thing) => partOf(question, thing));
  const pages: ReadPage[] = [];
  const seen = new Set<string>();
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const queries = queriesOf(desk, question, parts, round);
    const searched = yield* look(desk, `search the web for ${queries.join("; ")}`, "web_search", { queries });
    if (searched === null) return null;
    // A list is read with more of its passages, so of fewer pages.
    const urls = chosenOf(hitsOf(searched), parts, question)
      .filter((url) => !seen.has(url))
      .slice(0, question.wantsAll ? LISTS_MAX : URLS_MAX);
    if (urls.length === 0) continue;
    urls.forEach((url) => seen.add(url));
    const calls = goalsOf(question).map((goal) => ({ name: "visit", input: { urls, goal } }));
    for (const visited of yield* readTogether(
      desk.tools,
      `I will read ${urls.length} of the pages.`,
      calls,
    )) {
      if (visited.ok) pages.push(...pagesOf(visited.value));
      else desk.say("note", `Pages could not be read: ${because(visited.error)}.`);
    }
    const found = judge(pages, question, parts);
    if (found !== null) return found;
  }
  desk.say("told", `I did not find it: no page that I read answers "${startOf(question.text, 160)}".`);
  return null;
}

/** The question of one of two things that are compared. */
const partOf = ({ kind, text }: Question, thing: string): Question => ({
  ...parseQuestion(`${text.split(/[,:]/u)[0] ?? ""} the ${thing}`),
  kind,
});

function queriesOf({ today }: Desk, question: Question, parts: readonly Question[], round: number): string[] {
  const year = today?.slice(0, 4) ?? "";
  if (round > 1) return [[...question.names, ...question.words].join(" ") || question.text];
  if (question.wantsAll) return [question.text, `all ${question.words.join(" ")} ${year}`.trim()];
  return parts.map(({ text }) => startOf(text, GOAL_CHARS_MAX));
}

/** What is looked for on the pages. What is open in May may have opened before, and then its row does not say May. */
function goalsOf({ text, kind, month, wantsAll, things }: Question): string[] {
  const goal = `${startOf(text, GOAL_CHARS_MAX)} ${kind.hints}`.trim();
  if (!wantsAll || month === null) return [goal];
  const before = MONTHS.slice(Math.max(0, month - 3), month - 1).join(" ");
  return [MONTHS[month - 1] ?? "", before, things.join(" ")].filter((each) => each !== "");
}

function hitsOf(searched: JsonObject): Hit[] {
  return objectsAt(searched, "results").flatMap((result) => {
    const url = textAt(result, "url");
    const words = `${textAt(result, "title") ?? ""}. ${textAt(result, "description") ?? ""}`;
    return url === null ? [] : [{ url, words, published: textAt(result, "published") ?? "" }];
  });
}

/** The pages that are worth a look: about what is asked first, then in the order of the search, each once. */
function chosenOf(hits: readonly Hit[], parts: readonly Question[], { wantsAll }: Question): string[] {
  // A PDF can often not be read, and what it says stands elsewhere as well.
  const isLast = ({ url }: Hit): number => (/\.pdf$/iu.test(url) ? 1 : 0);
  const ordered = parts.flatMap(({ names }) => {
    const misses = ({ words }: Hit): number => names.filter((name) => !holdsName(words, name)).length;
    const own = hits.toSorted((one, other) => {
      const newer =
        wantsAll && one.published !== other.published ? (one.published > other.published ? -1 : 1) : 0;
      return isLast(one) - isLast(other) || misses(one) - misses(other) || newer;
    });
    return [own.slice(0, parts.length > 1 ? 2 : URLS_MAX)];
  });
  return [...new Set(ordered.flat().map(({ url }) => url))];
}

function judge(pages: readonly ReadPage[], question: Question, parts: readonly Question[]): Found | null {
  if (question.compared !== null) return compare(pages, question, parts);
  if (question.wantsAll) return allIn(pages, question, question.month ?? 0);
  if (question.kind.value === null) {
    const findings = notesOf(pages, question, NOTES_MAX);
    return findings.length === 0 ? null : { lead: "", findings, otherwise: [] };
  }
  const { month } = question;
  const all = findingsOf(pages, question);
  const leadOf = (one: Finding): string => (month === null ? "" : whether(one, question, month));
  const first = all.find((one) => leadOf(one) !== "") ?? all[0];
  if (first === undefined) return null;
  const values = (one: Finding): string => valuesIn(one.said, question.kind.value);
  // Another page contradicts it only where it speaks of the same.
  const isSame = (one: Finding): boolean =>
    first.shared.length > 0 && one.shared.join(" ") === first.shared.join(" ");
  const otherwise = all
    .filter((one) => isSame(one) && isOlder(one, first) && values(one) !== values(first))
    .slice(0, 1);
  return { lead: leadOf(first), findings: [first], otherwise };
}

const isOlder = (one: Finding, than: Finding): boolean =>
  one.page.date !== null && than.page.date !== null && one.page.date < than.page.date;

/** "Yes:" or "No:"; nothing where the sentence tells no season. */
function whether({ page, evidence, said }: Finding, question: Question, month: number): string {
  const [season] = seasonsOf([{ ...page, quotes: [{ id: evidence, quote: said }] }]);
  if (season === undefined) return "";
  return isAsAsked(season, question, month) ? "Yes:" : "No:";
}

/** Every thing of the kind that is asked for which is so in the month. */
function allIn(pages: readonly ReadPage[], question: Question, month: number): Found | null {
  const seasons = seasonsOf(pages).filter(({ page, name, said }) => {
    const words = `${page.title}. ${name}. ${said}`;
    return [...question.names, ...question.things].every((one) => holdsName(words, one));
  });
  if (seasons.length === 0) return null;
  const findings = seasons.filter((season) => isAsAsked(season, question, month));
  const lead = `${findings.length} of the ${seasons.length} that the pages tell of${findings.length === 0 ? "." : ":"}`;
  return { lead, findings: findings.length === 0 ? seasons.slice(0, 1) : findings, otherwise: [] };
}

function compare(
  pages: readonly ReadPage[],
  { compared, kind }: Question,
  parts: readonly Question[],
): Found | null {
  const findings = parts.flatMap((part) => findingsOf(pages, part)[0] ?? []);
  const [one, other, ...more] = findings.map(({ said }) => numberIn(valuesIn(said, kind.value)));
  if (compared === null || one === undefined || other === undefined || more.length > 0) return null;
  const [first, second] = compared.things;
  const lead =
    one === other ? "Both are the same:" : `It is the ${one > other === compared.larger ? first : second}:`;
  return { lead, findings, otherwise: [] };
}

const numberIn = (text: string): number =>
  Number(/\d[\d.,]*/u.exec(text)?.[0].replace(/[,.](?=\d{3})/gu, "") ?? Number.NaN);

const dateOf = ({ date }: ReadPage): string => (date === null ? "no date" : date.slice(0, 10));

/** The first finding of each page. */
const sourcesOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ page }, at) => findings.findIndex((one) => one.page.url === page.url) === at);

export const plain = (text: string): string => text.replace(/[\\`*_[\]()<>#|]/gu, String.raw`\$&`);
const linkTo = ({ title, url }: ReadPage): string =>
  `[${plain(title)}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;

/** A list of at most so many characters as the field of the template takes; whole lines alone. */
export function bulleted(lines: readonly string[], lead = ""): string {
  let text = lead === "" ? "" : `${plain(lead)}\n\n`;
  for (const line of lines) if (text.length + line.length + 3 <= 2_000) text += `- ${line}\n`;
  return text.trim();
}
