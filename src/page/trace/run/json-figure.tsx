import { revealHidden } from "../../../cairn/core/text/untrusted.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { JsonView } from "../../parts/json-view.tsx";

/** A value as JSON, with a way to take it along. */
export function JsonFigure({ name, value }: { name: string; value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <figure>
      <figcaption className="row">
        <span className="soft">{name}</span>
        <CopyButton text={() => text} label={`Copy: ${name}`} />
      </figcaption>
      <JsonView value={revealHidden(text)} label={name} />
    </figure>
  );
}
