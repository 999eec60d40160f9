import { memo } from "react";
import { stretches } from "./unseen.ts";

interface Props {
  readonly text: string;
  /** leaves what emoji and the words of many languages are made of */
  readonly ordinary?: boolean;
}

/** A text with its invisible characters shown: a person must see the actual content. */
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
