import { memo } from "react";
import type { Kind } from "./item.ts";

/** Line drawings as those of `parts/icon.tsx`, for the timeline alone. */
const LINES: Readonly<Record<Kind, string>> = {
  run: "M6 4l9 6-9 6z",
  model: "M10 3l1.8 5.2L17 10l-5.2 1.8L10 17l-1.8-5.2L3 10l5.2-1.8z",
  tool: "M13.5 3.5a4 4 0 0 0-5 5L3.5 13.5l3 3 5-5a4 4 0 0 0 5-5L14 9l-3-3z",
  child:
    "M6 4v9a3 3 0 0 0 3 3h1M6 9h5M13.5 11.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12.5 18a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 4h.01",
  person: "M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM4 17c.6-3 3-4.6 6-4.6s5.4 1.6 6 4.6",
  check: "M10 3l6 2v5c0 4-2.6 6-6 7-3.4-1-6-3-6-7V5zM7.5 10l2 2 3.5-4",
  retry: "M10 5v5l3 2M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14z",
  plan: "M8 5h9M8 10h9M8 15h9M3.5 5h.01M3.5 10h.01M3.5 15h.01",
  memory: "M10 3a6 6 0 0 0-3 11v3h6v-3a6 6 0 0 0-3-11zM8 17h4",
};

export const KindIcon = memo(function KindIcon({ kind }: { kind: Kind }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={LINES[kind]} />
    </svg>
  );
});
