/**
 * Unicode normalization in linear time. The engine sorts each run of combining marks by insertion, so a run of 64,000 marks
 * costs it seconds. Runs of up to 30 marks are normalized as ever: the limit of stream-safe text (Unicode Standard Annex 15,
 * section 13), which no language reaches. A longer run is normalized in stretches of 30 marks.
 */

const MARKS_MAX = 30;
/** No character below U+0300 is a mark. */
const MAY_HAVE_MARKS = /[\u0300-\uffff]/;

export function normalize(text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string {
  if (!MAY_HAVE_MARKS.test(text)) return text.normalize(form);
  const pieces: string[] = [];
  let from = 0;
  let marks = 0;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0;
    if (!isMark(point)) marks = 0;
    else if (marks < MARKS_MAX) marks++;
    else {
      pieces.push(text.slice(from, at).normalize(form));
      from = at;
      marks = 1;
    }
    at += point > 0xffff ? 2 : 1;
  }
  if (from === 0) return text.normalize(form);
  return [...pieces, text.slice(from).normalize(form)].join("");
}

/** For each character of the basic plane: 0 unknown, 1 a mark, 2 any other. */
const known = new Uint8Array(0x10000);

function isMark(point: number): boolean {
  if (point < 0x300) return false;
  if (point > 0xffff) return /\p{M}/u.test(String.fromCodePoint(point));
  if (known[point] === 0) known[point] = /\p{M}/u.test(String.fromCharCode(point)) ? 1 : 2;
  return known[point] === 1;
}
