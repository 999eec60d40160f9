import { sha256Hex } from "../core/log/digest.ts";

/** The id that a provider sees for a call. Mistral accepts exactly nine letters and digits, and every other provider accepts these. */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Digits for the run, the step and the index of the call, nine in all, and the first number that does not fit. Runs leave the first digit "z" to hashes. */
const FIELDS = [
  { width: 4, end: 61n * 62n ** 3n },
  { width: 3, end: 62n ** 3n },
  { width: 2, end: 62n ** 2n },
] as const;
const HASH_WIDTH = 8;

/** The last `width` digits of a number in base 62. */
function inBase62(value: bigint, width: number): string {
  let text = "";
  for (let rest = value; text.length < width; rest /= 62n)
    text = `${DIGITS[Number(rest % 62n)] ?? ""}${text}`;
  return text;
}

/**
 * Nine letters and digits for the name of a call. The id depends on the name alone, so a call has the same id in every request, and
 * calls of one session never share an id. A name of another form, or with larger numbers, gets a hash (62^8 values).
 *
 * @example wireCallId("r1s2c0") // "000100200"
 */
export function wireCallId(call: string): string {
  const numbers = /^r(\d+)s(\d+)c(\d+)$/.exec(call)?.slice(1).map(BigInt) ?? [];
  const digits = FIELDS.map(({ width, end }, at) => {
    const number = numbers[at];
    return number === undefined || number >= end ? null : inBase62(number, width);
  });
  if (!digits.includes(null)) return digits.join("");
  return `z${inBase62(BigInt(`0x${sha256Hex(call).slice(0, 16)}`), HASH_WIDTH)}`;
}
