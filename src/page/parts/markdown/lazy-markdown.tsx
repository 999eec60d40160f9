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

/** A text of the model as a document. What draws it comes when it is first needed; until then the text stands as it is. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Rendered text={text} />
    </Suspense>
  );
}
