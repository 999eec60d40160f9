import { row, type Intent } from "../intent.ts";
import { tellFile } from "../wishes/files.ts";

/** Rows of the table of intents for the files that a person sends. */

const SENT = "[that|which] (i|we) [just|have just|have] (sent|uploaded|dropped|attached|gave you)";
const NOUN = "(file|document|pdf|text|table|spreadsheet|sheet|report|contract|files|documents)";
const FILE = `((the|this|that|my|our|these|those) [attached] ${NOUN} [${SENT}]|what ${SENT})`;
const DATEI = "(die|diese|meine|der|dieser) (datei|pdf|tabelle|dateien)";
const ABOUT = "(about|on|of|regarding)";

export const FILES: readonly Intent[] = [
  row("say what a file says about something", "read", tellFile)`
    what (does|do) ${FILE} (say|tell|tell me|tell us) ${ABOUT} {query}
    what (is|does it say|do they say) ${ABOUT} {query} in ${FILE}
    (read|search|look through|look into|look in|go through|check) ${FILE} for {query}
    (find|look for|look up|search for) {query} in ${FILE}
    (read|summarise|summarize) [me] what ${FILE} (says|say) ${ABOUT} {query}
    was (steht|sagt) [in] ${DATEI} (über|zu|zur|zum) {query}
    was (sagt|steht) (das|dieses|im) (dokument|pdf) (über|zu|zur|zum) {query}
    (suche|such|finde) {query} in ${DATEI}
  `,
  row("read a file", "read", tellFile)`
    (read|open|summarise|summarize|show|show me|look at|look into|go through|tell me about) ${FILE} [to me]
    (read|summarise|summarize) it
    (what is|what's|whats) in ${FILE}
    what (does|do) ${FILE} say
    what is ${FILE} about
    (here is|here's) (a|an|the|my|our|some) [new] ${NOUN}
    (lies|lese|öffne|zeig|zeige) [mir] ${DATEI} [vor]
    was steht in ${DATEI}
    fasse ${DATEI} zusammen
  `,
];
