import { useEffect, useId, useRef } from "react";
import { Revealed } from "../revealed.tsx";
import { Facts } from "../facts.tsx";
import { dateText } from "../time.tsx";
import { nameOf, type Cited, type Source } from "./citations.ts";
import { PagePassage, Quote } from "./page-passage.tsx";

interface Props {
  readonly cited: Cited;
  /** whose page is read; null: the words alone are shown */
  readonly session: string | null;
  readonly close: () => void;
}

/** The quote behind one mark, its page, and when the page was read. */
export function QuoteDialog({ cited, session, close }: Props) {
  const { citation, source } = cited;
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  // The browser gives the focus back to the mark when it closes.
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="card quote" aria-labelledby={title} onClose={close}>
      <div className="stack">
        <h2 id={title} dir="auto">
          <Revealed text={nameOf(source)} ordinary />
        </h2>
        {session === null ? (
          <Quote text={citation.quote} />
        ) : (
          <PagePassage session={session} citation={citation} />
        )}
        <Facts
          className="quote-facts small"
          facts={[
            ["From", source.host === "" ? null : source.host],
            ["Address", <Address key="address" source={source} />],
            [
              "Read",
              <time key="read" dateTime={citation.fetchedAt}>
                {dateText(citation.fetchedAt)}
              </time>,
            ],
            ["Mark", citation.id],
          ]}
        />
        <form method="dialog">
          <button className="button">Close</button>
        </form>
      </div>
    </dialog>
  );
}

function Address({ source: { href, url } }: { readonly source: Source }) {
  return href === null ? (
    <Revealed text={url} />
  ) : (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {href}
    </a>
  );
}
