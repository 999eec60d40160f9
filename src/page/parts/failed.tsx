import { sentenceOf } from "../api.ts";

/** What went wrong, where the person looks, and a way to have it tried again. */
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
