/**
 * How many values a JSON text has, counted before it is parsed: a value of two characters takes twenty times as many bytes once it
 * is parsed, and a schema notes a fault for each. Commas and openings outside of strings are counted: at least one for each value
 * but the first of a list.
 */

/** values of one text from outside; what people and services send has a few thousand */
export const JSON_VALUES_MAX = 50_000;

/** True where the text has more values than that. It stops at the first one too many. */
export function hasTooManyValues(text: string, valuesMax = JSON_VALUES_MAX): boolean {
  if (text.length <= valuesMax) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at + 1);
    else if (isMark(sign) && ++values > valuesMax) return true;
  }
  return false;
}

/** The index of the quote that ends a string, or of the end of the text. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\" && at - 1 - escapes >= from) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** Counts the values of a body while it comes in: JSON, or lines of which each may hold one. */
export function createValueCounter(): (piece: Uint8Array) => number {
  let values = 0;
  let isInString = false;
  let isEscaped = false;
  return (piece) => {
    for (const sign of piece) {
      // No string goes on over the end of a line.
      if (sign === NEWLINE) isInString = isEscaped = false;
      else if (isEscaped) isEscaped = false;
      else if (sign === QUOTE) isInString = !isInString;
      else if (isInString) isEscaped = sign === BACKSLASH;
      else if (isMark(sign)) values++;
    }
    return values;
  };
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** a comma, and the openings of a list and of an object */
const isMark = (sign: number): boolean => sign === 0x2c || sign === 0x5b || sign === 0x7b;
