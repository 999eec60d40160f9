/** One line of at most so many characters, never half of a surrogate pair. */
export function oneLine(text: string, chars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= chars ? line : `${line.slice(0, chars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
