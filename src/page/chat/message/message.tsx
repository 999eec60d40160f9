import { ownValue } from "../../../cairn/core/log/json.ts";
import type { FileUIPart, UIMessage } from "ai";
import { memo } from "react";
import { Cited } from "../../parts/citations/cited.tsx";
import { Sources } from "../../parts/citations/sources.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Markdown } from "../../parts/markdown/lazy-markdown.tsx";
import { Revealed } from "../../parts/revealed.tsx";
import { Ago, spanWords } from "../../parts/time.tsx";
import { useCommands } from "../../open-session/live.tsx";
import { useShowOnSite } from "../../open-session/shown.tsx";
import { useMay } from "../../who.tsx";
import { EditButton } from "./edit-button.tsx";
import { Ended } from "./ended.tsx";
import { PlanView } from "./plan-view.tsx";
import { ReceiptView } from "./receipt-view.tsx";
import { StepCard } from "./step-card.tsx";
import {
  plainText,
  readTurn,
  shownOnSite,
  type RunMetadata,
  type MessageMetadata,
  type Step,
} from "../turn.ts";
import { endSentence } from "../words.ts";
import { costText, tokensText } from "../../parts/amount-text.ts";

/** Steps that stay in sight of a run that took many; those before them are behind one line. */
const STEPS_SHOWN = 6;

interface MessageProps {
  readonly message: UIMessage;
  /** it went out and was not accepted yet */
  readonly sending: boolean;
  readonly retry: (() => void) | null;
}

/** One message of the conversation. `retry` only where it can be answered anew. */
export const Message = memo(function Message({ message, sending, retry }: MessageProps) {
  return message.role === "user" ? (
    <PersonMessage message={message} sending={sending} />
  ) : (
    <Answer message={message} retry={retry} />
  );
});

const SOURCES: Readonly<Record<string, string>> = {
  webhook: "from a webhook",
  schedule: "from a schedule",
};

function PersonMessage({ message, sending }: { message: UIMessage; sending: boolean }) {
  const { createdAt, source, author, seq } = (message.metadata ?? {}) as MessageMetadata;
  const maySend = useMay("send");
  return (
    <article className="said" aria-label="You">
      {message.parts.map((part, index) => {
        if (part.type === "text")
          return (
            <p key={index} className="plain" dir="auto">
              <Revealed text={part.text} ordinary />
            </p>
          );
        if (part.type === "file") return <Attached key={index} part={part} />;
        return null;
      })}
      <footer className="small soft">
        {source === undefined || ownValue(SOURCES, source) === undefined ? null : (
          <span>
            {ownValue(SOURCES, source)} {source === "webhook" ? author : ""}
          </span>
        )}
        {sending ? <span role="status">Sending…</span> : null}
        {createdAt === undefined ? null : <Ago at={createdAt} />}
        <CopyButton text={() => plainText(message.parts)} label="Copy the message" />
        {maySend && seq !== undefined ? <EditButton seq={seq} text={plainText(message.parts)} /> : null}
      </footer>
    </article>
  );
}

function Attached({ part: { url, mediaType, filename = "" } }: { part: FileUIPart }) {
  const isShown = mediaType.startsWith("image/") && url.startsWith("/media/");
  return isShown ? (
    <img className="attached" src={url} alt={filename} title={filename} loading="lazy" />
  ) : (
    <span className="tag" title={mediaType}>
      {filename === "" ? mediaType : <bdi>{filename}</bdi>}
    </span>
  );
}

function Answer({ message, retry }: { message: UIMessage; retry: (() => void) | null }) {
  const note = (message.metadata ?? {}) as RunMetadata;
  const { steps, plan, citations } = readTurn(message.parts, note.outcome);
  const ended = note.outcome !== undefined;
  const hidden = steps.length > STEPS_SHOWN + 1 ? steps.slice(0, -STEPS_SHOWN) : [];
  const sentence = endSentence(note);
  const onSite = useShowOnSite();
  const { id: session } = useCommands();
  const show = (name: string): (() => void) | null => {
    const call = steps.flatMap(({ calls }) => calls).find(({ id }) => id.endsWith(name));
    const shownPage = call === undefined ? null : shownOnSite(call);
    return shownPage === null || onSite === null ? null : () => onSite(shownPage);
  };
  return (
    <article className="answer" aria-label="Cairn">
      {sentence === null ? null : (
        <Ended note={note} sentence={sentence} steps={steps.length} retry={retry} />
      )}
      {note.receipt == null ? null : (
        <ReceiptView receipt={note.receipt} show={show} status={sentence === null} />
      )}
      {plan === null || plan.items.length === 0 ? null : <PlanView plan={plan} />}
      <Cited citations={citations} session={session}>
        {hidden.length === 0 ? null : (
          <details className="earlier-steps">
            <summary>{hidden.length} earlier steps</summary>
            <Steps steps={hidden} />
          </details>
        )}
        <Steps steps={steps.slice(hidden.length)} />
      </Cited>
      <Sources citations={citations} />
      {ended ? (
        <footer className="small soft">
          <RunFacts note={note} steps={steps} />
          <CopyButton text={() => plainText(message.parts, note.outcome)} label="Copy the answer" />
          {retry === null || (sentence !== null && note.outcome !== "partial") ? null : (
            <button className="button quiet" aria-label="Try again" title="Try again" onClick={retry}>
              <Icon name="retry" />
            </button>
          )}
        </footer>
      ) : null}
    </article>
  );
}

function Steps({ steps }: { steps: readonly Step[] }) {
  return steps.map((step) => {
    const answers = step.calls.length === 0 && step.approvals.length === 0 && step.questions.length === 0;
    return (
      <div key={step.key} className="step-place">
        <StepCard step={step} />
        {answers ? step.texts.map((text, index) => <Markdown key={index} text={text} />) : null}
      </div>
    );
  });
}

function RunFacts({ note, steps }: { note: RunMetadata; steps: readonly Step[] }) {
  const { usage, createdAt } = note;
  const spans = spanWords(steps.flatMap(({ data }) => (data === null ? [] : [data])));
  const cost = costText(usage?.costUsd ?? null);
  return (
    <span className="run-facts">
      {createdAt === undefined ? null : <Ago at={createdAt} />}
      <span>
        {steps.length} {steps.length === 1 ? "step" : "steps"}
      </span>
      {spans.map((span) => (
        <span key={span}>{span}</span>
      ))}
      {usage === undefined ? null : <span>{tokensText(usage.inputTokens + usage.outputTokens)}</span>}
      {cost === null ? null : <span>{cost}</span>}
    </span>
  );
}
