import type { MarkupHandler, readMarkup } from "../../../cairn/documents/markup.ts";

/** a page with less text is empty, if it has scripts that could add more */
const TEXT_CHARS_MIN = 200;
/** a shorter script inside of the page counts visits, and writes no page */
const SCRIPT_CHARS_MIN = 1_000;

/** The start tag of a script that holds data. */
const IS_DATA = /^(?:application\/(?:ld\+)?json|importmap|speculationrules|text\/template)/i;

/**
 * True if a page is nearly empty until its scripts run: it has a script and no text, or fewer than 200 characters of
 * text and a script that comes from a file or has at least 1,000 characters. `text`: the page's text without scripts.
 * `read`: the HTML reader, loaded on demand.
 */
export function needsScript(html: string, text: string, read: typeof readMarkup): boolean {
  if (text.length >= TEXT_CHARS_MIN) return false;
  const scripts = new ScriptFinder(text === "" ? 1 : SCRIPT_CHARS_MIN);
  read(html, scripts, "html");
  return scripts.isDone();
}

class ScriptFinder implements MarkupHandler {
  readonly #charsMin: number;
  #isInScript = false;
  #chars = 0;
  #isFound = false;

  constructor(charsMin: number) {
    this.#charsMin = charsMin;
  }

  isDone(): boolean {
    return this.#isFound;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name !== "script" || IS_DATA.test(attributes.get("type")?.trim() ?? "")) return;
    this.#isInScript = true;
    this.#chars = 0;
    if (attributes.has("src")) this.#isFound = true;
  }

  close(name: string): void {
    if (name === "script") this.#isInScript = false;
  }

  text(text: string): void {
    if (!this.#isInScript) return;
    this.#chars += text.trim().length;
    if (this.#chars >= this.#charsMin) this.#isFound = true;
  }
}
