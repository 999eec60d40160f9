import { memo } from "react";
import { HIDDEN } from "../../core/guard/hidden-characters.ts";

const POINTS = HIDDEN.map(([, from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join("");
const EACH = new RegExp(`([${POINTS}])`, "u");

/** A text in which characters that are not seen are: a person decides about what stands there, not about what it looks like. */
export const Revealed = memo(function Revealed({ text }: { text: string }) {
  return text.split(EACH).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <mark key={index} className="unseen" title={nameOf(piece)}>
        {`U+${(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`}
      </mark>
    ),
  );
});

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return HIDDEN.find(([, from, to]) => from <= code && code <= to)?.[0] ?? "";
}
