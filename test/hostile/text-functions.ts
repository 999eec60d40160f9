import { parseBlocks } from "../../src/plugins/channels/text/read-markdown.ts";
import { toSlackTexts } from "../../src/plugins/channels/slack/slack-text.ts";
import { readPost } from "../../src/cli/site/front-matter.ts";
import { readValue } from "../../src/cairn/core/dialects/read-value.ts";
import * as citations from "../../src/cairn/core/guards/review/citations.ts";
import * as claims from "../../src/plugins/plain-words/claims.ts";
import { namedIn } from "../../src/cairn/core/guards/review/evidence.ts";
import * as phrases from "../../src/plugins/plain-words/phrases.ts";
import { requestsChange } from "../../src/plugins/plain-words/unbacked.ts";
import { WORDS } from "../../src/plugins/plain-words/words.ts";
import { NO_WORDS } from "../../src/cairn/core/guards/no-words.ts";
import type { ReviewCall, ReviewSubject } from "../../src/cairn/core/guards/review/subject.ts";
import type { PlainWords } from "../../src/cairn/core/guards/words.ts";
import { decisionLines, decisionText, jsonLines } from "../../src/cairn/core/text/decision-text.ts";
import { isParsableMarkdown } from "../../src/cairn/core/text/markdown-bounds.ts";
import { readMarker, stripMarker } from "../../src/cairn/core/text/markers.ts";
import { createNeedles } from "../../src/cairn/core/text/multi-search.ts";
import { likenessTo, nearestWords, normalised } from "../../src/cairn/core/text/nearest.ts";
import { findPlaceholders } from "../../src/cairn/core/text/placeholders.ts";
import * as quotes from "../../src/cairn/core/text/quotes.ts";
import { underReceipt } from "../../src/cairn/core/text/receipt-lines.ts";
import { complaintOf, createRedactor, hideFields } from "../../src/cairn/core/text/redact.ts";
import * as sentences from "../../src/cairn/core/text/sentences.ts";
import * as untrusted from "../../src/cairn/core/text/untrusted.ts";
import * as visible from "../../src/cairn/core/text/visible.ts";
import { frontMatterFault } from "../../src/cairn/core/text/front-matter-bounds.ts";
import { canonicalUrl } from "../../src/cairn/core/state/call-digest.ts";
import { imagesOf, linksOf } from "../../src/plugins/cms/model/values.ts";
import { cleanFilename } from "../../src/plugins/cms/media/library.ts";
import type { Field } from "../../src/plugins/cms/model/document.ts";
import { wantedIn } from "../../src/plugins/cms/model/links.ts";
import { plainText } from "../../src/plugins/cms/storage/projections.ts";
import { cleanName } from "../../src/cairn/uploads/store.ts";

/** The functions of src/cairn/core/text, src/cairn/core/guards/review and src/plugins/plain-words that read a text from outside, and those of names and texts of a site. */

const subjectOf = (request: string, candidate: string): ReviewSubject => ({
  profile: "normal" as ReviewSubject["profile"],
  request,
  candidate,
  work: true,
  deliver: "reply",
  channel: null,
  calls: [],
  deliveries: [],
  plan: [],
  refusals: {},
  stepsLeft: 3,
});
const redact = createRedactor([{ name: "KEY", value: "a-secret-of-the-test" }]);
const MARKDOWN: Field = { key: "text", label: "Text", type: "markdown" };
const needles = createNeedles(["aaab", "a<br>", "  b", "éé"].map((text) => ({ text })));

/** A call that failed, whose texts are all from outside. */
const failed = (text: string): ReviewCall => ({
  id: "r1s1c0",
  seq: 1,
  tool: "page_update",
  title: text,
  effect: "keyed",
  kind: "work",
  status: "error",
  error: "server",
  target: text,
  fresh: false,
  verbs: ["update"],
  input: { title: text },
  replaced: null,
  things: [],
  failure: text,
  result: "",
  item: null,
  opensLater: false,
});

function functionsOf(words: PlainWords, name: string): Record<string, (text: string) => unknown> {
  const functions: Record<keyof PlainWords, (text: string) => unknown> = {
    qualityOf: (text) => words.qualityOf(text, { request: text, results: [text] }),
    isQuestion: words.isQuestion,
    promisesLater: words.promisesLater,
    hiddenFailures: (text) => words.hiddenFailures(subjectOf(text, text), [failed(text)]),
    unbackedClaims: (text) => words.unbackedClaims(subjectOf(text, text)),
    hidesNoChange: (text) => words.hidesNoChange(subjectOf(text, text), [failed(text)]),
    namesAsOpen: (text) => words.namesAsOpen({ id: "1", text, kind: "do", status: "open" }, text),
    cuesOf: words.cuesOf,
    givesAnswer: (text) => words.givesAnswer(text, false),
  };
  return Object.fromEntries(Object.entries(functions).map(([key, read]) => [`${key} (${name})`, read]));
}

export const TEXT_FUNCTIONS: Readonly<Record<string, (text: string) => unknown>> = {
  decisionText: (text) =>
    decisionLines(
      decisionText({ title: text, summary: text, impact: [text], tool: "t", args: { text }, tainted: true }),
    ),
  jsonLines,
  isParsableMarkdown,
  readMarker,
  stripMarker,
  "createNeedles.find": (text) => needles.find(text),
  normalised,
  likenessTo: (text) => likenessTo(text)(text),
  nearestWords: (text) => nearestWords("page_create", [text]),
  findPlaceholders,
  pageText: quotes.pageText,
  folded: quotes.folded,
  findQuote: (text) => quotes.findQuote(text, text.slice(text.length / 2)),
  standsAt: (text) => quotes.standsAt(text, { start: 0, end: text.length, quote: text }),
  underReceipt: (text) => underReceipt([{ about: "status", text }], text),
  complaintOf: (text) => complaintOf(new Error(text), redact),
  redact,
  "redact.stream": (text) => {
    const stream = redact.stream();
    for (let at = 0; at < text.length; at += 64) stream.push(text.slice(at, at + 64));
    return stream.end();
  },
  readValue: (text) => readValue(text, 0),
  wantedIn: (text) => wantedIn([MARKDOWN], { text }),
  splitForSlack: (text) => toSlackTexts(parseBlocks(`**${text}**`)),
  hideFields: (text) => hideFields({ text, password: text }),
  fold: sentences.fold,
  sentencesOf: sentences.sentencesOf,
  wordsOf: sentences.lowerCaseWords,
  fence: (text) => untrusted.unfence(untrusted.fence(text, text)),
  isFenced: (text) => untrusted.isFenced(`<untrusted source="p1">\n${text}\n</untrusted>`, "p1"),
  escapeMarkers: untrusted.escapeMarkers,
  quoteLine: untrusted.quoteLine,
  isPlainWord: untrusted.isPlainWord,
  removeHidden: untrusted.removeHidden,
  revealHidden: untrusted.revealHidden,
  visibleLine: visible.visibleLine,
  visibleText: visible.visibleText,
  visibleString: visible.visibleString,
  isPlainBlock: visible.isPlainBlock,
  marksOf: citations.marksOf,
  markedStretches: citations.markedStretches,
  citeAnswer: (text) => citations.citeAnswer(`${text}[e1]${text}`, "check", () => null),
  renameMarks: (text) => citations.renameMarks(text, new Map([["e1", "e2"]])),
  namedIn,
  wishesOf: claims.requestedVerbs,
  claimsOf: (text) => claims.claimsOf(text, text),
  "claimsOf, of drafts": (text) => claims.claimsOf(text, "publish the page", true),
  saysNotSo: claims.deniesChange,
  asksForText: claims.asksForText,
  languagesOf: phrases.languagesOf,
  languageOf: phrases.languageOf,
  isListed: phrases.isListed,
  hasUnlisted: (text) => phrases.hasUnlisted(text, "notSo"),
  tellsFailure: (text) => phrases.reportsTrouble(text),
  ...functionsOf(WORDS, "plain words"),
  ...functionsOf(NO_WORDS, "no words"),
  canonicalUrl: (text) => canonicalUrl(`https://a${text} b`),
  cleanName: (text) => cleanName(`a${text}a`),
  cleanFilename: (text) => cleanFilename(`a${text}a`, "png"),
  plainText: (text) => plainText([MARKDOWN], { text }),
  linksOf: (text) => linksOf(MARKDOWN, text),
  imagesOf: (text) => imagesOf(MARKDOWN, text),
  frontMatterFault: (text) => frontMatterFault(`---\n${text}`),
  readPost: (text) => readPost(`---\ntitle: a\n---\n${text}`),
  requestsChange: (text) => requestsChange(subjectOf(text, text), true),
};
