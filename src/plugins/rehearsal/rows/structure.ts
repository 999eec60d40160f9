import { row, type Intent } from "../intent.ts";
import * as structure from "../wishes/structure.ts";

/** Rows of the table of intents for what the site is made of: collections with their fields, and languages. */

const DELETE = "(remove|delete|drop|get rid of)";
const CALLED = "(called|named|:)";
const SITE = "(the|our|my) (site|website)";
const OF_THE_SITE = `[(of|for|on) ${SITE}]`;
const FIELD = "(a|an|another|the) [new] field [called|named]";
const FELD = "(ein|ein neues|das) feld [namens]";
const TYPED = "[, {type} [,]|of [the] type {type}|(as|for) [a|an|the] {type}]";

export const STRUCTURE: readonly Intent[] = [
  row("make a collection", "write", structure.makeCollection)`
    (make|create|add|set up|build|start|i need|i want|we need) [me|us] (a|another) [new] collection [of entries] [${CALLED}|for|of] {collection-name}
    (make|create|add|set up|build|start) [me|us] (a|another) [new] {collection-name} collection
    (erstelle|erstell|mach|mache|lege|leg|ich brauche|wir brauchen) [mir|uns] eine [neue] (sammlung|kollektion) [namens|mit dem namen|für|genannt|:] {collection-name} [an]
  `,
  row("add a field", "write", structure.addField)`
    (add|create|put) ${FIELD} {field-name} ${TYPED} (to|on|in|into|for) {collection}
    (give) {collection} ${FIELD} {field-name} ${TYPED}
    (füge) [(zum|zur|zu) {collection}] ${FELD} {field-name} [, {type} [,]|vom typ {type}] [(zu|zum|zur|in) {collection}] hinzu
    (ergänze) {collection} um ${FELD} {field-name} [, {type} [,]|vom typ {type}]
  `,
  row("remove a field", "write", structure.removeField)`
    ${DELETE} the field [called|named] {field-name} (from|of|in|on) {collection}
    ${DELETE} the {field-name} field (from|of|in|on) {collection}
    (entferne|lösche|lösch|nimm) das feld {field-name} (aus|von|vom|in) {collection} [raus|heraus]
  `,
  row("add a language", "write", structure.addLanguage)`
    add {language} [as (a|a new|another|a second|a third) language] [(to|for|on) ${SITE}]
    add [the|a|a new|another] language [${CALLED}] {language} [(to|for|on) ${SITE}]
    (füge|nimm) {language} [als [neue|weitere] sprache] [(zu|zur|in) [der|unserer|meiner|die|unsere|meine] (seite|website)] (hinzu|auf)
    (füge) die sprache {language} [(zur|der) (seite|website)] hinzu
  `,
  row("switch a language on", "write", structure.switchLanguage(true))`
    (switch|turn) on {language} ${OF_THE_SITE}
    (switch|turn) {language} on ${OF_THE_SITE}
    (activate|enable|show) [the language] {language} ${OF_THE_SITE}
    (schalte|schalt) {language} (ein|an|frei)
    (aktiviere|aktivier) [die sprache] {language}
  `,
  row("switch a language off", "write", structure.switchLanguage(false))`
    (switch|turn) off {language} ${OF_THE_SITE}
    (switch|turn) {language} off ${OF_THE_SITE}
    (deactivate|disable|hide) [the language] {language} ${OF_THE_SITE}
    (schalte|schalt) {language} (aus|ab)
    (deaktiviere|deaktivier) [die sprache] {language}
  `,
  row("choose the default language", "write", structure.makeDefault)`
    make {language} the (default|main|first) [language|locale] ${OF_THE_SITE}
    (set|change) the (default|main|first) (language|locale) ${OF_THE_SITE} to {language}
    (mach|mache) {language} zur (standardsprache|hauptsprache|ersten sprache) [(der|unserer) (seite|website)]
  `,
];
