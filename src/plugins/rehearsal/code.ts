import { startOf } from "../../cairn/core/text/cut.ts";
import type { JsonObject } from "../../cairn/core/log/json.ts";
import type { Course } from "./course.ts";
import { numberAt, objectAt, textAt } from "../../cairn/models/script/fields.ts";
import { look, type Desk } from "./site.ts";

/** Code that the person wrote, and sums to be calculated by code. It is read before any wish: code is no sentence. */

export interface CodeWish {
  readonly language: "javascript" | "python";
  readonly code: string;
}

const RUN =
  /^\s*(?:please\s+)?(?:run|execute|führe|führ)\s+(?:this|the|the following|diesen|den|folgenden)?\s*(python|javascript|js)?\s*(?:code|script|program|programm|snippet)?\s*(?:in\s+(python|javascript|js))?\s*(?:aus)?\s*:\s*([\s\S]+)$/iu;
const SUM =
  /^\s*(?:please\s+)?(?:calculate|compute|work out|what is|what's|berechne|rechne|was ist)\s+([\d\s.,()+*/%^×÷x·-]+?)\s+(?:with|using|by|in|mit)\s+(code|javascript|js|python)\s*[.?!]*\s*$/iu;
const FENCE = /^```[ \t]*(\w*)[ \t]*\n([\s\S]*?)\n?```\s*$/u;

/** Null for a message that asks for none. */
export function parseCode(message: string): CodeWish | null {
  const [, before, behind, written = ""] = RUN.exec(message) ?? [];
  if (written.trim() !== "") {
    const [, marked, inside] = FENCE.exec(written.trim()) ?? [];
    return { language: languageOf(before ?? behind ?? marked), code: inside ?? written.trim() };
  }
  const [, sum, by] = SUM.exec(message) ?? [];
  if (sum === undefined || !/\d/u.test(sum)) return null;
  // Thousands of the English kind; what else a comma may be, nobody can know.
  const plain = sum
    .replace(/(\d),(?=\d{3}\b)/gu, "$1")
    .replace(/[×x·]/gu, "*")
    .replaceAll("÷", "/");
  if (plain.includes(",")) return null;
  const expression = plain.replaceAll("^", "**").trim();
  const language = languageOf(by);
  return { language, code: language === "python" ? `print(${expression})` : `return ${expression}` };
}

const languageOf = (word = ""): CodeWish["language"] => (/^py/iu.test(word) ? "python" : "javascript");

const SHOWN_CHARS_MAX = 1_500;

/** Runs it, and says what it printed, what it gave, and where it failed. */
export function* tellCode(desk: Desk, { language, code }: CodeWish): Course<void> {
  const done = yield* look(desk, "run the code", "run_code", { language, code });
  if (done === null) return;
  const output = (textAt(done, "output") ?? "").trim();
  const value = textAt(done, "value");
  const cut = textAt(done, "cut");
  if (output !== "") desk.say("told", `It printed:\n\n${block(output)}`);
  if (value !== null)
    desk.say(
      "told",
      `It gave ${value.includes("\n") ? `:\n\n${block(value)}` : `\`${startOf(value, SHOWN_CHARS_MAX)}\``}.`,
    );
  const failed = objectAt(done, "failed");
  if (failed !== null) desk.say("failed", failure(failed));
  else if (output === "" && value === null) desk.say("told", "It ran, and printed and gave nothing.");
  if (cut !== null) desk.say("note", cut);
}

const block = (text: string): string => `\`\`\`\n${startOf(text, SHOWN_CHARS_MAX)}\n\`\`\``;

function failure(failed: JsonObject): string {
  const line = numberAt(failed, "line");
  return `It failed${line === null ? "" : ` on line ${line}`}: ${textAt(failed, "message") ?? ""}`;
}
