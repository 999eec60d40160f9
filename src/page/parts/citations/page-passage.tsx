import { useLayoutEffect, useRef, useState } from "react";
import type { CitationView } from "../../../cairn/protocol/receipt.ts";
import type { SourcePageView } from "../../../cairn/protocol/views.ts";
import { ask, useAnswer } from "../../api.ts";
import { Failed } from "../failed.tsx";
import { Revealed } from "../revealed.tsx";
import { useAct } from "../use-act.ts";

/** characters that one more click shows */
const MORE_CHARS = 1_200;

interface Props {
  readonly session: string;
  readonly citation: CitationView;
}

/** The quote of a citation in its context: the page as the session stores it, readable in both directions. */
export function PagePassage({ session, citation }: Props) {
  const { id, page, quote } = citation;
  const path = `/api/sessions/${session}/pages/${encodeURIComponent(page)}`;
  const { data, error, mutate } = useAnswer<SourcePageView>(
    `${path}?${new URLSearchParams({ evidence: id })}`,
    { revalidateOnFocus: false, revalidateIfStale: false },
  );
  if (data !== undefined) return <Stretch key={data.page} path={path} first={data} />;
  return (
    <>
      <Quote text={quote} />
      {error === undefined ? null : error.status === 404 ? (
        <p className="soft small">The rest of this page is not stored in this session.</p>
      ) : (
        <Failed failure={error} again={() => void mutate()} />
      )}
    </>
  );
}

/** The words alone. */
export function Quote({ text }: { readonly text: string }) {
  return (
    <blockquote className="plain" dir="auto">
      <Revealed text={text} ordinary />
    </blockquote>
  );
}

function Stretch({ path, first }: { readonly path: string; readonly first: SourcePageView }) {
  const [{ start, end, text }, setShown] = useState<Pick<SourcePageView, "start" | "end" | "text">>(first);
  const { busy, fault, run } = useAct();
  const region = useRef<HTMLDivElement>(null);
  const words = useRef<HTMLElement>(null);
  /** how far it is to the end of what is scrolled, where text comes in above */
  const below = useRef<number | null>(null);
  useLayoutEffect(() => {
    // Newer browsers answer with a promise, which is no way to end an effect.
    words.current?.scrollIntoView({ block: "center" });
  }, []);
  useLayoutEffect(() => {
    const box = region.current;
    if (box === null || below.current === null) return;
    box.scrollTop = box.scrollHeight - below.current;
    below.current = null;
  }, [start]);

  // A button that is off would lose the focus.
  const once = (act: () => Promise<void>) => () => void (busy ? null : run(act));
  const load = (offset: number, limit: number) =>
    ask<SourcePageView>(`${path}?${new URLSearchParams({ offset: `${offset}`, limit: `${limit}` })}`);
  const above = once(async () => {
    const from = Math.max(0, start - MORE_CHARS);
    const more = await load(from, start - from);
    const box = region.current;
    below.current = box === null ? null : box.scrollHeight - box.scrollTop;
    // The button that had the focus goes away.
    if (more.start === 0) box?.focus({ preventScroll: true });
    setShown((now) => ({ ...now, start: more.start, text: more.text + now.text }));
  });
  const onward = once(async () => {
    const more = await load(end, MORE_CHARS);
    if (more.end === more.chars) region.current?.focus({ preventScroll: true });
    setShown((now) => ({ ...now, end: more.end, text: now.text + more.text }));
  });

  const from = (first.quote?.start ?? start) - start;
  const to = (first.quote?.end ?? start) - start;
  return (
    <figure className="outside">
      <figcaption className="soft small">
        {first.date === null ? "As it was read" : `Of ${first.date}, as it was read`}. These are the words of
        others.
      </figcaption>
      {fault === null ? null : <p role="alert">{fault}</p>}
      <div ref={region} className="outside-text" role="region" aria-label="Text of the page" tabIndex={0}>
        {start === 0 ? null : (
          <button type="button" className="button quiet small" onClick={above}>
            More above
          </button>
        )}
        <p className="plain" dir="auto">
          <Revealed text={text.slice(0, from)} ordinary />
          <mark ref={words} className="cited-words">
            <Revealed text={text.slice(from, to)} ordinary />
          </mark>
          <Revealed text={text.slice(to)} ordinary />
        </p>
        {end === first.chars ? null : (
          <button type="button" className="button quiet small" onClick={onward}>
            More below
          </button>
        )}
      </div>
    </figure>
  );
}
