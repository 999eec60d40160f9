/** Tables as text: each row on a line behind its number. */

/** Rows of CSV (RFC 4180), whatever of comma, semicolon and tab parts its first line most often. */
export function* rowsOf(text: string): Generator<readonly string[]> {
  const parts = delimiterOf(text);
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text.charAt(at + 1) === '"') cell += text.charAt(at++);
      else quoted = false;
    } else if (char === '"' && cell.trim() === "") {
      cell = "";
      quoted = true;
    } else if (char === parts) {
      row.push(cell);
      cell = "";
    } else if (char === "\n") {
      yield [...row, cell];
      row = [];
      cell = "";
    } else if (char !== "\r") cell += char;
  }
  if (cell !== "" || row.length > 0) yield [...row, cell];
}

function delimiterOf(text: string): string {
  const [first = ""] = text.trimStart().split("\n", 1);
  const bare = first.replace(/"[^"]*"/g, "");
  const counts = ["\t", ";", ","].map((sign) => ({ sign, count: bare.split(sign).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).sign;
}

/** `[row 3] Anna | 12`, and nothing for a row of empty cells. */
export function rowLine(number: number, cells: readonly string[]): string {
  const said = cells.map((cell) => cell.replace(/\s+/gu, " ").trim());
  while (said.at(-1) === "") said.pop();
  return said.length === 0 ? "" : `[row ${number}] ${said.join(" | ")}\n`;
}
