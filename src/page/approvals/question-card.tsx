import { useId, useRef, useState, type ReactNode, type SubmitEvent } from "react";
import { useAct } from "../parts/use-act.ts";
import type { Question } from "./question.ts";
import { Icon } from "../parts/icon.tsx";
import { useIsPast } from "../parts/time.tsx";
import { useCommands } from "../open-session/live.tsx";
import { useMay } from "../who.tsx";
import { isCardKey } from "./card-keys.ts";
import { Revealed } from "../parts/revealed.tsx";
import { TimeLeft } from "./time-left.tsx";
import { holdHeight } from "./press.ts";
import { EARLY_WORDS, useGate } from "./use-gate.ts";
import { useInboxFollows } from "./waiting.ts";
import { withoutInputMethod } from "../parts/input-method.ts";
import "./approvals.css";

const ANSWER_CHARS_MAX = 16_000;

/**
 * A question of the agent, in its session: its choices, or a box for the answer. Below `LiveSession`, because the answer goes
 * over its socket. `answer` is what was answered, where it is known (the output of the call of `ask_human`).
 */
export function QuestionCard({ question, answer = null }: { question: Question; answer?: string | null }) {
  const commands = useCommands();
  useInboxFollows(`${question.questionId} ${question.state}`);
  const { questionId } = question;
  return (
    <QuestionView question={question} answer={answer} give={(value) => commands.answer(questionId, value)} />
  );
}

export interface QuestionViewProps {
  readonly question: Question;
  readonly answer?: string | null;
  /** the heading above the question, if that is not its session */
  readonly home?: ReactNode;
  readonly give: (value: string) => Promise<unknown>;
}

/** A question in any list. */
export function QuestionView({ question, answer = null, home = null, give }: QuestionViewProps) {
  const [sent, setSent] = useState<string | null>(null);
  const { busy, fault, run } = useAct();
  const sending = useRef(false);
  const maySend = useMay("send");
  const over = useIsPast(Date.parse(question.expiresAt));
  const card = useRef<HTMLElement>(null);
  const id = useId();

  const shown = answer ?? sent;
  const open = question.state === "open" && sent === null;
  const gate = useGate(card, question.questionId, open && maySend && !over ? JSON.stringify(question) : null);

  const send = async (value: string): Promise<void> => {
    if (sending.current || value.trim() === "" || !gate.admits()) return;
    sending.current = true;
    const held = holdHeight(card.current);
    const given = await run(async () => {
      await give(value);
      setSent(value);
      card.current?.focus();
    });
    held.done(given);
    sending.current = false;
  };

  return (
    <article
      ref={card}
      className="card approval question"
      data-state={question.state}
      data-ready={open ? gate.ready : undefined}
      tabIndex={-1}
      aria-labelledby={`${id}-question`}
      aria-busy={(busy || sent !== null) && question.state === "open"}
      onKeyDown={withoutInputMethod((event) => {
        if (isCardKey(event)) event.preventDefault();
      })}
    >
      <header className="approval-head">
        <span className="tag" data-tone={open ? "waits" : "none"}>
          <Icon name={open ? "warn" : question.state === "expired" ? "close" : "check"} />
          {open ? "A question for you" : question.state === "expired" ? "Not answered in time" : "Answered"}
        </span>
        {open ? <TimeLeft at={question.expiresAt} /> : null}
        {home}
      </header>
      <h2 id={`${id}-question`}>
        <Revealed text={question.question} />
      </h2>
      {question.context === undefined ? null : (
        <p className="soft">
          <Revealed text={question.context} />
        </p>
      )}
      <div role="status">
        {shown === null ? null : (
          <p>
            {question.by ?? "You"}: <Revealed text={shown} />
          </p>
        )}
        {shown === null && question.state === "answered" ? (
          <p>Answered by {question.by ?? "somebody"}.</p>
        ) : null}
        {question.state === "expired" ? <p>{unanswered(question.default)}</p> : null}
      </div>
      {fault === null ? null : <p role="alert">{fault}</p>}
      {!open ? null : !maySend ? (
        <p className="soft">Your token may not answer: it lacks the scope “send”.</p>
      ) : over ? (
        <p className="soft">This question has expired.</p>
      ) : (
        <Answer question={question} busy={busy} ready={gate.ready} send={send} />
      )}
      <div role="status">{open && gate.early ? <p className="soft small">{EARLY_WORDS}</p> : null}</div>
      {open && question.default !== null && !over ? (
        <p className="soft small">
          If you don't answer, the agent will choose “<Revealed text={question.default} />
          ”.
        </p>
      ) : null}
    </article>
  );
}

interface AnswerProps {
  readonly question: Question;
  readonly busy: boolean;
  readonly ready: boolean;
  readonly send: (value: string) => Promise<void>;
}

/** The form stays, with its text, until the server accepts the answer. */
function Answer({ question, busy, ready, send }: AnswerProps) {
  const field = useId();
  const [text, setText] = useState("");
  const { options } = question;
  if (options !== null && options.length > 0)
    return (
      <div className="row approval-choices">
        {options.map((option) => (
          <button
            key={option}
            className="button"
            aria-disabled={busy || !ready}
            onClick={() => void send(option)}
          >
            <Revealed text={option} />
          </button>
        ))}
      </div>
    );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void send(text);
  };
  return (
    <form className="approval-form" onSubmit={submit}>
      <label htmlFor={field} className="visually-hidden">
        Your answer
      </label>
      <textarea
        id={field}
        value={text}
        rows={2}
        required
        maxLength={ANSWER_CHARS_MAX}
        placeholder="Your answer"
        readOnly={busy}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <button className="button primary" aria-disabled={busy || !ready}>
          Answer
        </button>
      </div>
    </form>
  );
}

const unanswered = (taken: string | null): string =>
  taken === null ? "The agent continues without an answer." : `The agent took “${taken}”.`;
