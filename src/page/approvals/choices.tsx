import { ownValue } from "../../cairn/core/log/json.ts";
import { useId, useState, type SubmitEvent } from "react";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import type { Decision, Remember } from "./decision.ts";
import { intoView } from "./into-view.ts";
import { withoutInputMethod } from "../parts/input-method.ts";

/**
 * The open form of the card: the buttons, the reason of a denial, how long a decision is remembered, or edited
 * arguments.
 */
export type Mode = "look" | "deny" | "remember" | "edit";

export interface ChoicesProps {
  readonly approval: ApprovalView;
  /** this person has approved already, and may still deny */
  readonly agreed: boolean;
  readonly busy: boolean;
  /** all of it has been on the screen */
  readonly isRead: boolean;
  /** it has been on the screen for long enough: what is pressed now decides */
  readonly ready: boolean;
  readonly mode: Mode;
  readonly turn: (mode: Mode) => void;
  /** why not, as far as it is written */
  readonly reason: string;
  readonly write: (reason: string) => void;
  readonly send: (decision: Decision) => Promise<void>;
  readonly back: () => void;
}

export function Choices(props: ChoicesProps) {
  if (props.mode === "deny") return <Deny {...props} />;
  if (props.mode === "remember") return <Remembering {...props} />;
  const { approval, agreed, busy, isRead, ready, turn, send } = props;
  return (
    <div className="row approval-choices">
      {isRead || agreed ? null : (
        <p className="soft small approval-unread" role="note">
          Scroll through all of it to approve it.
        </p>
      )}
      {agreed ? null : (
        <button
          className="button primary"
          disabled={busy || !isRead}
          aria-disabled={!ready}
          aria-keyshortcuts="y"
          onClick={() => void send({ decision: "approve" })}
        >
          Approve <kbd aria-hidden="true">y</kbd>
        </button>
      )}
      <button
        className="button danger"
        disabled={busy}
        aria-disabled={!ready}
        aria-keyshortcuts="n"
        onClick={() => turn("deny")}
      >
        Deny <kbd aria-hidden="true">n</kbd>
      </button>
      {approval.editable ? (
        <button className="button" disabled={busy} aria-keyshortcuts="e" onClick={() => turn("edit")}>
          Change <kbd aria-hidden="true">e</kbd>
        </button>
      ) : null}
      {approval.remember.length === 0 || agreed ? null : (
        <button
          className="button"
          disabled={busy || !isRead}
          aria-keyshortcuts="r"
          onClick={() => turn("remember")}
        >
          Remember <kbd aria-hidden="true">r</kbd>
        </button>
      )}
    </div>
  );
}

const REASON_CHARS_MAX = 1_000;

function Deny({ busy, ready, reason, write, send, back }: ChoicesProps) {
  const field = useId();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const why = reason.trim();
    void send({ decision: "deny", ...(why === "" ? {} : { reason: why }) });
  };
  return (
    <form ref={intoView} className="approval-form" onSubmit={submit}>
      <label htmlFor={field}>Reason (optional). The agent will see it.</label>
      <textarea
        id={field}
        value={reason}
        rows={2}
        maxLength={REASON_CHARS_MAX}
        autoFocus
        onChange={(event) => write(event.target.value)}
        onKeyDown={enterSubmits}
      />
      <div className="row">
        <button className="button danger" disabled={busy} aria-disabled={!ready}>
          Deny
        </button>
        <button type="button" className="button" onClick={back}>
          Back
        </button>
      </div>
    </form>
  );
}

/** Enter sends what is one sentence; with Shift it is a new line. */
const enterSubmits = withoutInputMethod((event: React.KeyboardEvent<HTMLTextAreaElement>): void => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
});

const SPANS: readonly (readonly [seconds: number, words: string])[] = [
  [3_600, "for an hour"],
  [8 * 3_600, "for 8 hours"],
  [86_400, "for a day"],
];

const MATCHES: Readonly<Record<string, (tool: string) => string>> = {
  args: () => "this exact action",
  tool: (tool) => `any call of ${tool}`,
};

function Remembering({ approval, busy, ready, send, back }: ChoicesProps) {
  const name = useId();
  const [match, setMatch] = useState(approval.remember[0] ?? "args");
  const [seconds, setSeconds] = useState(SPANS[0]?.[0] ?? 0);
  const remember: Remember = { match: match === "tool" ? "tool" : "args", seconds };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void send({ decision: "approve", remember });
  };
  return (
    <form ref={intoView} className="approval-form" onSubmit={submit}>
      <fieldset>
        <legend>Don't ask again in this session for</legend>
        {approval.remember.map((each, index) => (
          <label key={each} className="row">
            <input
              type="radio"
              name={name}
              checked={each === match}
              autoFocus={index === 0}
              onChange={() => setMatch(each)}
            />
            {ownValue(MATCHES, each)?.(approval.tool) ?? each}
          </label>
        ))}
        <label className="row">
          <span className="visually-hidden">How long</span>
          <select value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
            {SPANS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <p className="soft small">You can change this in Settings.</p>
      <div className="row">
        <button className="button primary" disabled={busy} aria-disabled={!ready}>
          Approve and remember
        </button>
        <button
          type="button"
          className="button danger"
          disabled={busy}
          aria-disabled={!ready}
          onClick={() => void send({ decision: "deny", remember })}
        >
          Deny and remember
        </button>
        <button type="button" className="button" onClick={back}>
          Back
        </button>
      </div>
    </form>
  );
}
