import { memo } from "react";
import { stretches } from "./unseen.ts";

interface Props {
  readonly text: string;
  /** leaves what emoji and the words of many languages are made of */
  readonly ordinary?: boolean;
}

/** A text in which characters that are not seen are: a person reads what stands there, not what it looks like. */
export const Revealed = memo(function Revealed({ text, ordinary = false }: Props) {
  return stretches(text, { ordinary }).map(({ text: said, unseen }, index) =>
    unseen === null ? (
      said
    ) : (
      <mark key={index} className="unseen" title={unseen}>
        {said}
      </mark>
    ),
  );
});
