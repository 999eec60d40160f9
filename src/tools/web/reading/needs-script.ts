/** a page that says less is empty, when it has scripts that could say more */
const TEXT_CHARS_MIN = 200;
/** a shorter script inside of the page counts visits, and writes no page */
const SCRIPT_CHARS_MIN = 1_000;

/** Data in the form of a script. */
const IS_DATA = /\btype\s*=\s*["']?(?:application\/(?:ld\+)?json|importmap|speculationrules|text\/template)/i;

/**
 * Whether a page is next to empty until its scripts run: it says nothing and has a script, or its text has fewer than 200
 * characters and a script comes from a file or has at least 1,000. `text`: what of the page is read without them.
 */
export function needsScript(html: string, text: string): boolean {
  if (text.length >= TEXT_CHARS_MIN) return false;
  return Array.from(html.matchAll(/<script\b([^>]*)>([\s\S]*?)(?:<\/script|$)/gi)).some(
    ([, attributes = "", body = ""]) => {
      const hasFile = /\bsrc\s*=/i.test(attributes);
      const charsMin = text === "" ? 1 : SCRIPT_CHARS_MIN;
      return !IS_DATA.test(attributes) && (hasFile || body.trim().length >= charsMin);
    },
  );
}
