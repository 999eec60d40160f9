import { row, type Intent } from "../intent.ts";
import { APART } from "../research/question.ts";
import { research, sendResearch, writeResearch } from "../wishes/research.ts";
import { writeSideBySide } from "../wishes/side-by-side.ts";

/** Rows of the table of intents for what is found out on the web. What stands there is for the wishes about the site first. */

const WEB = "(on|in|from|across) the (web|internet)|online";
const FIND =
  "(research|investigate|find out|look up|look into|dig into|read up on|google|search the (web|internet) (for|about)|look on the (web|internet) for|recherchiere|recherchier|finde heraus)";
const THIS =
  "[for me] [this] [question] [${WEB}] [,|:] [with [its|your|the] sources|and cite your sources] [,|:]".replace(
    "${WEB}",
    WEB,
  );
const SOURCES =
  "[,] [and] (with|cite|cite me|give|give me|name|name me|show|show me|mit|nenne) [me] [all] [the|its|your|their|some|good|deine|den|die] (source|sources|citations|links|references|evidence|quellen)";
const PAGE = "(write|make|create|build|add|draft|prepare) [me|us] (a|one|the|another) [new|short] page";
const IT =
  "(about|on|from|of|out of) (it|that|this|them|what you find|what you found|the result|the results)";
const CALLED = "(called|named|titled) {name}";

export const RESEARCH: readonly Intent[] = [
  row("look it up", "read", research)`
    ${FIND} ${THIS} {question} [${WEB}] [${SOURCES}]
    what does the (web|internet) say (about|on) {question} [${SOURCES}]
    (web search|websuche) [:|for] {question} [${SOURCES}]
  `,
  row("look it up and send it", "read", sendResearch)`
    (find|${FIND}) ${THIS} {question} [${WEB}] [${SOURCES}] [,] (and|then|and then) (send|message|write|tell) (it|that|the answer|the result) to me [(on|in|over|by|via) (telegram|slack|email|e-mail)] [here]
    (find|${FIND}) ${THIS} {question} [${WEB}] [${SOURCES}] [,] (and|then|and then) (send|tell|write) me (it|that|the answer|the result) [(on|in|over|by|via) (telegram|slack|email|e-mail)] [here]
  `,
  row("write a page of what is found", "write", writeResearch)`
    ${FIND} ${THIS} {question} [${WEB}] [,] (and|then|and then) ${PAGE} [${IT}] [${CALLED}] [${SOURCES}] [as a draft]
    ${FIND} ${THIS} {question} [${WEB}] [,] (and|then|and then) ${PAGE} [${IT}] [${SOURCES}] ${CALLED}
    ${PAGE} (about|on) {question} (from|using|based on|with what is said on|with what you find on) the (web|internet) [${SOURCES}] [${CALLED}] [as a draft]
  `,
  row("look up several, and write a page", "write", writeSideBySide)`
    ${FIND} {topics} (${APART}) [${WEB}] [,] (and|then|and then) ${PAGE} [${IT}] [${CALLED}] [${SOURCES}] [as a draft]
    ${FIND} (${APART}) {topics} [${WEB}] [,] (and|then|and then) ${PAGE} [${IT}] [${CALLED}] [${SOURCES}] [as a draft]
    (${FIND}|erforsche) {topics} nebeneinander [,] und (schreibe|schreib|mach|erstelle) [mir|uns] (eine|ne) [neue] seite [darüber|daraus]
  `,
];
