import type { CitationView } from "../../../cairn/protocol/receipt.ts";
import { Revealed } from "../revealed.tsx";
import { nameOf, sourcesOf } from "./citations.ts";

/** The pages cited by an answer, below it. Empty if it cites none. */
export function Sources({ citations }: { readonly citations: readonly CitationView[] }) {
  if (citations.length === 0) return null;
  return (
    <section className="sources small" aria-label="Sources">
      <p className="soft">Sources</p>
      <ol>
        {sourcesOf(citations).map((source) => {
          const name = <Revealed text={nameOf(source)} ordinary />;
          return (
            <li key={source.number}>
              {source.href === null ? (
                <bdi>{name}</bdi>
              ) : (
                <a href={source.href} target="_blank" rel="noreferrer noopener">
                  <bdi>{name}</bdi>
                </a>
              )}
              {source.host === nameOf(source) ? null : <span className="soft"> {source.host}</span>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
