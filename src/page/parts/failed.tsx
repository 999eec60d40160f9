import { sentenceOf } from "../api.ts";

/** An error message in place, and a button to try again. */
export function Failed({ failure, again }: { failure: unknown; again: () => void }) {
  return (
    <p role="alert">
      {sentenceOf(failure)}{" "}
      <button className="button" onClick={again}>
        Try again
      </button>
    </p>
  );
}
