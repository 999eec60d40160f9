import { lazy, Suspense, type ComponentType } from "react";
import { fetchPart } from "../part.ts";

const Plain = ({ text }: { text: string }) => (
  <p className="plain" dir="auto">
    {text}
  </p>
);
// Without it the text is still to be read.
const Rendered = lazy<ComponentType<{ text: string }>>(() =>
  fetchPart(() => import("./markdown.tsx")).catch(() => ({ default: Plain })),
);

/**
 * A text of the model as a document. The renderer is loaded when it is first needed; until then the raw text is
 * shown.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Rendered text={text} />
    </Suspense>
  );
}
