const LINES_MAX = 25;

export function lines(all: readonly string[], total: number): string {
  const shown = all.slice(0, LINES_MAX);
  const rest = total - shown.length;
  return [...shown.map((line) => `- ${line}`), ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n");
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
