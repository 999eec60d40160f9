import { memo } from "react";
import { HIDDEN, revealHidden } from "../../core/text/untrusted.ts";

const POINTS = HIDDEN.map(([, from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join("");
const UNSEEN = new RegExp(`([${POINTS}\\u2028\\u2029])`, "u");

/** A text in which characters that are not seen are: a person decides about what stands there, not about what it looks like. */
export const Revealed = memo(function Revealed({ text }: { text: string }) {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .split(UNSEEN)
    .map((piece, index) =>
      index % 2 === 0 ? (
        piece
      ) : (
        <mark key={index} className="unseen" title={nameOf(piece)}>
          {revealHidden(piece)}
        </mark>
      ),
    );
});

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return HIDDEN.find(([, from, to]) => from <= code && code <= to)?.[0] ?? "line ends";
}
