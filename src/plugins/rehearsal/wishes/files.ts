import { startOf } from "../../../cairn/core/text/cut.ts";
import type { JsonObject } from "../../../cairn/core/log/json.ts";
import { numberAt, objectsAt, textAt } from "../../../cairn/models/script/fields.ts";
import { look, type Does } from "../site.ts";

/** What is told of the files that the person sent: their own words, each with the mark of its passage. */

const FILES_MAX = 5;
const QUOTES_MAX = 4;
const QUOTE_CHARS_MAX = 400;

/** The file in focus, or those that were sent last where none is; with something to look for, what is near to it. */
export const tellFile: Does = function* (desk, { value = "" }) {
  const files = desk.memory.filter(({ type }) => type === "file");
  const inFocus = files.filter(({ focus }) => focus);
  const meant = (inFocus.length > 0 ? inFocus : files).slice(0, FILES_MAX);
  if (meant.length === 0)
    return desk.say("asked", "I see no file here. Drop one into the conversation and say it again.");
  const names = meant.map(({ name }) => `"${name}"`).join(" and ");
  const input: JsonObject = { files: meant.map(({ id }) => id), ...(value === "" ? {} : { goal: value }) };
  const read = yield* look(desk, `read ${names}`, "read_file", input);
  if (read === null) return;
  for (const file of objectsAt(read, "files")) desk.say("told", told(file, value));
};

function told(file: JsonObject, about: string): string {
  const name = `"${textAt(file, "name") ?? textAt(file, "file") ?? ""}"`;
  const quotes = objectsAt(file, "quotes").slice(0, QUOTES_MAX).map(quoteLine);
  if (quotes.length === 0) return `I could not read ${name}.`;
  const size = numberAt(file, "chars");
  const what = about === "" ? "begins like this" : `says this of "${about}"`;
  return `${name}${size === null ? "" : ` (${size} characters)`} ${what}:${quotes.join("")}`;
}

function quoteLine(quote: JsonObject): string {
  const said = (textAt(quote, "quote") ?? "").replace(/\s+/gu, " ");
  const cut = said.length > QUOTE_CHARS_MAX ? `${startOf(said, QUOTE_CHARS_MAX)} …` : said;
  return `\n- ${cut} [${textAt(quote, "id") ?? ""}]`;
}
