import type { ReactNode } from "react";
import { KINDS, KIND_WORDS, type Kind } from "./items/item.ts";
import { isFiltering, NO_FILTER, type Filter } from "./filter.ts";

interface FiltersProps {
  readonly filter: Filter;
  readonly counts: { readonly kinds: ReadonlyMap<Kind, number>; readonly trouble: number };
  readonly change: (filter: Filter) => void;
  readonly children: ReactNode;
}

/** Controls for the visible part of the timeline: by kind, only failures, by words. */
export function Filters({ filter, counts, change, children }: FiltersProps) {
  const toggle = (kind: Kind): void => {
    const kinds = new Set(filter.kinds);
    if (!kinds.delete(kind)) kinds.add(kind);
    change({ ...filter, kinds });
  };
  return (
    <div className="trace-filters" role="group" aria-label="What is shown">
      <input
        type="search"
        aria-label="Search this run"
        placeholder="Search this run"
        value={filter.text}
        onChange={({ target }) => change({ ...filter, text: target.value })}
      />
      {counts.trouble === 0 && !filter.trouble ? null : (
        <button
          className="chip"
          data-tone="bad"
          aria-pressed={filter.trouble}
          onClick={() => change({ ...filter, trouble: !filter.trouble })}
        >
          Problems only <span className="chip-count">{counts.trouble.toLocaleString("en")}</span>
        </button>
      )}
      {KINDS.map((kind) => {
        const count = counts.kinds.get(kind) ?? 0;
        return count === 0 && !filter.kinds.has(kind) ? null : (
          <button
            key={kind}
            className="chip"
            aria-pressed={filter.kinds.has(kind)}
            onClick={() => toggle(kind)}
          >
            {KIND_WORDS[kind]} <span className="chip-count">{count.toLocaleString("en")}</span>
          </button>
        );
      })}
      {children}
      {isFiltering(filter) ? (
        <button className="chip chip-clear" onClick={() => change(NO_FILTER)}>
          Clear the filters
        </button>
      ) : null}
    </div>
  );
}
