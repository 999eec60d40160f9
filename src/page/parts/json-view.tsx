import { memo } from "react";

/** A value as indented JSON. It is text, so nothing in it can be markup. */
export const JsonView = memo(function JsonView({ value, label }: { value: unknown; label: string }) {
  return (
    <pre className="json" tabIndex={0} role="region" aria-label={label}>
      <code>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</code>
    </pre>
  );
});
