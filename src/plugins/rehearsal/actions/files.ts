import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { startOf } from "../../../cairn/core/text/cut.ts";
import { numberAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { look, type Action } from "../context.ts";

/** Files that the person sent. */

const FILES_MAX = 5;
const QUOTES_MAX = 4;
const QUOTE_CHARS_MAX = 400;

/** Quotes the files in focus, or the newest ones, each passage with its citation mark; with a topic, the nearest passages. */
export const quoteFiles: Action = function* (context, { value: topic = "" }) {
  const all = context.memory.filter(({ type }) => type === "file");
  const inFocus = all.filter(({ focus }) => focus);
  const files = (inFocus.length > 0 ? inFocus : all).slice(0, FILES_MAX);
  if (files.length === 0)
    return context.report("question", "I see no file here. Drop one into the conversation and say it again.");
  const names = files.map(({ name }) => `"${name}"`).join(" and ");
  const input: JsonObject = { files: files.map(({ id }) => id), ...(topic === "" ? {} : { goal: topic }) };
  const found = yield* look(context, `read ${names}`, "read_file", input);
  for (const file of objectsAt(found, "files")) context.report("info", fileInWords(file, topic));
};

function fileInWords(file: JsonObject, topic: string): string {
  const name = `"${textAt(file, "name") ?? textAt(file, "file") ?? ""}"`;
  const quotes = objectsAt(file, "quotes").slice(0, QUOTES_MAX);
  if (quotes.length === 0) return `I could not read ${name}.`;
  const lines = quotes.map((quote) => {
    const text = (textAt(quote, "quote") ?? "").replace(/\s+/gu, " ");
    const cut = text.length > QUOTE_CHARS_MAX ? `${startOf(text, QUOTE_CHARS_MAX)} …` : text;
    return `\n- ${cut} [${textAt(quote, "id") ?? ""}]`;
  });
  const chars = numberAt(file, "chars");
  const size = chars === null ? "" : ` (${chars} characters)`;
  return `${name}${size} ${topic === "" ? "begins like this" : `says this of "${topic}"`}:${lines.join("")}`;
}
