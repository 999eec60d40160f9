import { use } from "react";
import { markedStretches } from "../../../cairn/core/guards/review/citations.ts";
import { nameOf } from "./citations.ts";
import { CitingContext } from "./context.ts";

/** A mark such as `[e12, e14]`: a button for each known ID, and text for the others. */
export function Mark({ text }: { readonly text: string }) {
  const { byId, open } = use(CitingContext);
  const ids = markedStretches(text).flatMap((each) => each.ids);
  if (!ids.some((id) => byId.has(id))) return text;
  return ids.map((id, at) => {
    const cited = byId.get(id);
    return cited === undefined ? (
      `[${id}]`
    ) : (
      <button
        key={at}
        type="button"
        className="mark"
        aria-haspopup="dialog"
        aria-label={`Source ${cited.source.number}: ${nameOf(cited.source)}`}
        onClick={() => open(cited)}
      >
        {cited.source.number}
      </button>
    );
  });
}
