import { ownValue } from "./core/log/json.ts";
import dataRule from "../../prompts/cairn/calls/data-rule.xml";
import describePicture from "../../prompts/cairn/calls/describe-picture.xml";
import nameSession from "../../prompts/cairn/calls/name-session.xml";
import readPart from "../../prompts/cairn/calls/read-part.xml";
import readValues from "../../prompts/cairn/calls/read-values.xml";
import sortRequest from "../../prompts/cairn/calls/sort-request.xml";

/** The instructions of model calls outside a conversation (core/prompt/separate-call.ts): one file for each, in `prompts/cairn/calls`. */
export const callPrompts = {
  "data-rule": dataRule,
  "describe-picture": describePicture,
  "name-session": nameSession,
  "read-part": readPart,
  "read-values": readValues,
  "sort-request": sortRequest,
} as const satisfies Readonly<Record<string, string>>;

type CallPrompt = Exclude<keyof typeof callPrompts, typeof DATA_RULE>;

/** Ends each of the others: the fenced text is data. */
const DATA_RULE = "data-rule";

const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/**
 * The text inside `<call>`, with a number for each `{{name}}`, and the rule that fenced text is data. Numbers alone: an
 * instruction holds no text from outside. Throws on a place without a number, and on a file of another form.
 */
export const callText = (name: CallPrompt, numbers: Readonly<Record<string, number>> = {}): string =>
  `${fill(name, numbers)}\n${fill(DATA_RULE, {})}`;

function fill(name: keyof typeof callPrompts, numbers: Readonly<Record<string, number>>): string {
  const inside = /^<call>\n([^]*)\n<\/call>\s*$/.exec(callPrompts[name])?.[1];
  if (inside === undefined) throw new Error(`the prompt ${name} is no <call>`);
  const filled = inside.replace(/\{\{(\w+)\}\}/g, (_, slot: string) => {
    const number = ownValue(numbers, slot);
    if (number === undefined) throw new Error(`the prompt ${name} has no ${slot}`);
    return String(number);
  });
  return unescapeXml(filled);
}

/** The characters that a file of XML cannot hold as they are. */
export const unescapeXml = (text: string): string =>
  text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
