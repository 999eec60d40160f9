import { describePage, listPages } from "./actions/answers.ts";
import { addToNavigation, removeFromNavigation } from "./actions/navigation.ts";
import { createPage, deletePages, renamePage, setStatus } from "./actions/pages.ts";
import { addSections, changeText, deleteSection, hideSection } from "./actions/sections.ts";
import { quoteFiles } from "./actions/files.ts";
import type { Action } from "./context.ts";
import { research, sendResearch } from "./research/research.ts";
import { parseForm, type Form } from "./text/forms.ts";

/**
 * The table of intents: the requests that the model understands. Each has its forms (text/forms.ts explains how they are
 * written, text/slots.ts what the slots accept) and the action that carries it out. A new capability is a new row.
 */
export interface Intent {
  readonly name: string;
  /** writes are not carried out next to words that were not understood */
  readonly kind: "write" | "read" | "talk";
  readonly act: Action;
  readonly forms: () => readonly Form[];
}

type Row = (lines: TemplateStringsArray, ...words: string[]) => Intent;

/** A row, followed by its forms, one per line. */
function row(name: string, kind: Intent["kind"], act: Action): Row {
  return (lines, ...words) => {
    let forms: readonly Form[] | null = null;
    const parse = (): readonly Form[] => {
      const written = String.raw(lines, ...words).split("\n");
      return written.filter((line) => line.trim() !== "").map(parseForm);
    };
    // Parsed at the first request: most isolates need none.
    return { name, kind, act, forms: () => (forms ??= parse()) };
  };
}

/** Says a fixed text; an empty one leaves the answer to reply.ts. */
const say = (text: string): Action =>
  // eslint-disable-next-line require-yield -- only speaks
  function* ({ report }) {
    if (text !== "") report("info", text);
  };

const MAKE = "(create|make|build|set up|add|i need|we need|i want|i would like) [me|us]";
const A_NEW = "(a|an|another) [new|nice|simple]";
const WITH = "[[,] (with|featuring|including) {sections}] [as a draft]";
const SET = "(change|set|update|edit)";
const TO = "[:] (to|into|as) {value}";
const ADD = "(add|put|include|link)";
const DELETE = "(delete|remove)";
const ON = "(on|of|from|in|at|for)";
const WHICH = "(which|what|how many|list|list all|show|show me|show all|give me)";
const HAVE =
  "[are there|(do|does) (we|i|the site|our site|my site) have|are on the site|on the site|are there on the site]";
const SENT = "[[that|which] (i|we) [just|have just] (sent|uploaded|attached)]";
const FILE = `((the|this|that|my|these|those) [attached] (file|files|document|pdf|text|table|spreadsheet|contract) ${SENT})`;
const FIND = "(research|investigate|find out|find|look up|look into|search the (web|internet) for)";
const PLAIN_QUESTION =
  "[this] [on the (web|internet)|online] [, with sources|with sources] [,|:] {question} [on the (web|internet)|online]";
const SOURCES = "[,] [and] (with|cite|name|give me) [its|the|your] sources";
const SEND =
  "(send|message|tell) (it|that|the answer|the result) to me [(on|in|by|via) (telegram|slack|email|e-mail)]";

export const INTENTS: readonly Intent[] = [
  row("create a page", "write", createPage)`
    ${MAKE} ${A_NEW} page (called|named|titled|about|:) {name} ${WITH}
    ${MAKE} ${A_NEW} {kind} page ${WITH}
    ${MAKE} (a|an|another) [new] page [called|named] ${WITH}
  `,
  row("publish", "write", setStatus("published"))`
    (publish|release) {page} [again|too]
    (put|make|take|bring) {page} (live|public|online)
  `,
  row("unpublish", "write", setStatus("unpublished"))`
    (unpublish|take down) {page}
    take {page} (offline|down|off the site)
  `,
  row("add to the navigation", "write", addToNavigation)`
    ${ADD} {page} (in|to|into|on) {location} [too]
  `,
  row("remove from the navigation", "write", removeFromNavigation)`
    (remove|take|delete) {page} (from|out of|off) {location}
  `,
  row("rename a page", "write", renamePage)`
    rename {page} ${TO}
    ${SET} (its name|the name of {page}) ${TO}
  `,
  row("delete a page", "write", deletePages)`
    ${DELETE} {page}
  `,
  row("add a section", "write", addSections)`
    (add|insert|put) {sections} [(to|on|in|into|at) {page}]
  `,
  row("hide a section", "write", hideSection)`
    hide ({section} [${ON} {page}]|it)
  `,
  row("delete a section", "write", deleteSection)`
    ${DELETE} {section} [${ON} {page}]
  `,
  row("change a text", "write", changeText)`
    ${SET} ({field} ${ON} {section}|{section} {field}) [${ON} {page}] ${TO}
    ${SET} ({headline} ${ON} {page}|its {headline}) ${TO}
    {section} ${ON} {page} : ${SET} (its|the) {field} ${TO}
  `,
  row("send what is found", "read", sendResearch)`
    ${FIND} ${PLAIN_QUESTION} [${SOURCES}] [,] (and|then|and then) ${SEND}
  `,
  row("look it up", "read", research)`
    ${FIND} ${PLAIN_QUESTION} [${SOURCES}]
  `,
  row("ask a file", "read", quoteFiles)`
    what (does|do) ${FILE} say (about|on) {topic}
    (read|search|look through) ${FILE} for {topic}
    (read|open|summarize|summarise) ${FILE}
    what (is|does it say) (about|on) {topic} in ${FILE}
    what is in ${FILE}
    what (does|do) ${FILE} say
    here is (a|the|my) (file|document)
  `,
  row("list the pages", "read", listPages("page", {}))`
    ${WHICH} [all|all the|the|our|my] pages ${HAVE}
  `,
  row("list the drafts", "read", listPages("draft", { status: "draft" }))`
    ${WHICH} [the|our|my] (drafts|draft pages) ${HAVE}
    which pages are drafts
  `,
  row("list what is not published", "read", listPages("unpublished page", { dirtyOnly: true }))`
    (which|what) [pages] (are|is) not published [yet]
  `,
  row("describe a page", "read", describePage)`
    (what is|what's|whats) on {page}
    (which|what) sections (are on|does|has) {page} [have]
    is {page} (published|public|live|online|a draft)
  `,
  row("help", "talk", say(""))`
    help [me]
    what can you do [for me]
    (who|what) are you
  `,
  row("greet", "talk", say(""))`
    (hi|hello|hey|good morning|good afternoon|good evening) [,] [there|cairn|again]
  `,
  row("thank", "talk", say("You are welcome."))`
    (thanks|thank you|cheers) [a lot|so much|very much|again]
    (great|perfect|nice)
  `,
];
