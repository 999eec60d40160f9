/** The text of a Slack message (https://docs.slack.dev/messaging/formatting-message-text), as a person reads it. */

const ESCAPES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
const unescaped = (text: string): string => text.replace(/&(?:lt|gt|amp);/g, (sign) => ESCAPES[sign] ?? sign);

/** Mentions by their name, links by their words and target; `without` is taken out wherever it is mentioned. */
export function readWords(text: string, without: string | null): string {
  const read = text.replace(/<([^<>]*)>/g, (_whole, inner: string) => {
    const bar = inner.indexOf("|");
    const [target, label] = bar < 0 ? [inner, ""] : [inner.slice(0, bar), inner.slice(bar + 1)];
    if (target === `@${without ?? ""}`) return "";
    if (/^@[UW]/.test(target)) return `@${label === "" ? target.slice(1) : label}`;
    if (target.startsWith("#")) return `#${label === "" ? target.slice(1) : label}`;
    if (target.startsWith("!")) return label === "" ? `@${target.slice(1).split("^")[0] ?? ""}` : label;
    const url = target.replace(/^mailto:/, "");
    return label === "" || label === target || label === url ? url : `${label} (${target})`;
  });
  return unescaped(read).trim();
}

export const mentions = (text: string, user: string | null): boolean =>
  user !== null && (text.includes(`<@${user}>`) || text.includes(`<@${user}|`));
