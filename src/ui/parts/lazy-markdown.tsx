import { lazy, Suspense } from "react";

const Rendered = lazy(() => import("./markdown.tsx"));

/** A text of the model as a document. What draws it comes when it is first needed; until then the text stands as it is. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="plain">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
}
