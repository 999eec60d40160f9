/** Characters of the fonts Symbol and Wingdings, which number their pictures their own way. */

/** Symbol from 0x21 on; a blank where Unicode has no sign for it. */
const SYMBOL =
  "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/** Symbol from 0xa1 on. */
const SYMBOL_HIGH = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑";

const WINGDINGS: ReadonlyMap<number, string> = new Map([
  [0x28, "☎"],
  [0x2a, "✉"],
  [0x4a, "☺"],
  [0x4b, "😐"],
  [0x4c, "☹"],
  [0x6c, "●"],
  [0x6e, "■"],
  [0x6f, "□"],
  [0x71, "❑"],
  [0x76, "❖"],
  [0x9f, "•"],
  [0xa7, "▪"],
  [0xa8, "◻"],
  [0xd8, "➢"],
  [0xdf, "←"],
  [0xe0, "→"],
  [0xe8, "➔"],
  [0xf0, "⇨"],
  [0xfb, "✗"],
  [0xfc, "✓"],
  [0xfd, "☒"],
  [0xfe, "☑"],
]);

/** `F0FC` of Wingdings is ✓. A character that no table has is a replacement character, so that a reader sees that one is there. */
export function symbolText(font: string, hex: string): string {
  if (!/^[0-9A-Fa-f]{1,6}$/.test(hex)) return "";
  const code = Number.parseInt(hex, 16);
  // Fonts without Unicode number their signs from F000 on, in the area for private use.
  const glyph = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  if (/^wingdings/i.test(font)) return WINGDINGS.get(glyph) ?? "\ufffd";
  if (/^symbol/i.test(font))
    return signIn(SYMBOL, glyph - 0x21) ?? signIn(SYMBOL_HIGH, glyph - 0xa1) ?? "\ufffd";
  if (glyph < 0x20 || (code >= 0xe000 && code <= 0xf8ff && glyph === code) || code > 0x10ffff)
    return "\ufffd";
  return String.fromCodePoint(glyph).toWellFormed();
}

const signIn = (signs: string, at: number): string | undefined => (at < 0 ? undefined : [...signs][at]);
