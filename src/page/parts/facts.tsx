import type { ReactNode } from "react";

export type Fact = readonly [name: string, value: ReactNode];

/** A list of named facts. A fact that is null is left out. */
export function Facts({ facts, className }: { facts: readonly Fact[]; className: string }) {
  return (
    <dl className={className}>
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
