import { useEffect } from "react";
import type { SharedMessage, SharedView } from "../../cairn/protocol/shared.ts";
import { sentenceOf, useAnswer } from "../api.ts";
import { ReceiptView } from "../chat/message/receipt-view.tsx";
import { Cited } from "../parts/citations/cited.tsx";
import { Sources } from "../parts/citations/sources.tsx";
import { Markdown } from "../parts/markdown/lazy-markdown.tsx";
import { Ago, dateText } from "../parts/time.tsx";
import "./shared.css";

/** The view behind a read-only link: messages and answers, and no controls. */
export default function SharedPage({ token }: { token: string }) {
  const { data, error } = useAnswer<SharedView>(`/shared/${token}`);
  const title = data?.title || (data?.run == null ? "A shared conversation" : "A shared request");
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  if (data === undefined)
    return (
      <main className="alone" aria-busy={error === undefined}>
        {error === undefined ? null : <p role="alert">{sentenceOf(error)}</p>}
      </main>
    );
  return (
    <main className="shared">
      <header className="stack">
        <h1 dir="auto">{title}</h1>
        <p className="soft small">
          {data.run === null ? "A conversation with Cairn" : "One request to Cairn"}, read-only. This link
          works until <time dateTime={data.expiresAt}>{dateText(data.expiresAt)}</time>.
        </p>
      </header>
      {data.more ? <p className="soft small">Older messages are not shown.</p> : null}
      {data.items.length === 0 ? <p className="soft">There is nothing to read here any more.</p> : null}
      {data.items.map((message) => (
        <Message key={message.id} message={message} />
      ))}
    </main>
  );
}

function Message({ message }: { message: SharedMessage }) {
  const { role, text, at, outcome, receipt, citations } = message;
  if (role === "user")
    return (
      <article className="said" aria-label="Request">
        <p className="plain" dir="auto">
          {text}
        </p>
        {at === null ? null : (
          <footer className="small soft">
            <Ago at={at} />
          </footer>
        )}
      </article>
    );
  return (
    <article className="answer" aria-label="Cairn">
      {receipt === null ? null : <ReceiptView receipt={receipt} />}
      <Cited citations={citations} session={null}>
        {text === "" ? null : <Markdown text={text} />}
      </Cited>
      <Sources citations={citations} />
      {outcome === null ? <p className="soft">This is not finished yet.</p> : null}
    </article>
  );
}
