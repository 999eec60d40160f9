import { memo, useState } from "react";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { chatLabel } from "../../parts/channel-words.ts";
import { dateText } from "../../parts/time.tsx";
import { useChats } from "../../parts/chats.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { useShowOnSite } from "../../open-session/shown.tsx";
import { sentMessage, sentReceipt, type SentReceipt } from "../../../cairn/protocol/stream/sent-message.ts";
import { Markdown } from "../../parts/markdown/lazy-markdown.tsx";
import { shownOnSite, type Call } from "../turn.ts";
import { gist } from "../words.ts";

const STATES: Readonly<Record<Call["state"], { readonly icon: IconName | null; readonly says: string }>> = {
  running: { icon: null, says: "working" },
  client: { icon: null, says: "waits for the page that brought this tool" },
  asked: { icon: "warn", says: "needs a decision" },
  done: { icon: "check", says: "done" },
  failed: { icon: "close", says: "failed" },
  denied: { icon: "close", says: "denied" },
};

/** One call of a tool: its state and gist in a line, and on opening it what went in and what came back. */
export const CallRow = memo(function CallRow({ call }: { call: Call }) {
  const [open, setOpen] = useState(false);
  const show = useShowOnSite();
  const { icon, says } = STATES[call.state];
  const seen = shownOnSite(call);
  const message = sentMessage(call.tool, call.input);
  return (
    <li className="call" data-state={call.state}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="call-state" title={says}>
            {icon === null ? <span className="spinner" /> : <Icon name={icon} />}
            <span className="visually-hidden">{says}</span>
          </span>
          <span className="call-title">{call.title}</span>
          <span className="call-gist">{message === null ? gist(call.input) : ""}</span>
        </summary>
        {open ? <Inside call={call} /> : null}
      </details>
      {message === null ? null : (
        <div className="call-message" role="group" aria-label="Message">
          <Markdown text={message.text} />
          <Where call={call} />
        </div>
      )}
      {seen === null || show === null ? null : (
        <button className="button quiet small" onClick={() => show(seen)}>
          Show
        </button>
      )}
      {call.error === null || open ? null : <p className="call-error">{call.error}</p>}
    </li>
  );
});

function Where({ call: { state, output } }: { call: Call }) {
  const sent = sentReceipt(output);
  const places = useChats();
  return (
    <p className="soft small" dir="auto">
      {state === "failed" || state === "denied" ? "not sent" : sent === null ? "" : sentWhere(sent, places)}
    </p>
  );
}

function sentWhere({ to, receipt, heldUntil }: SentReceipt, places: Parameters<typeof chatLabel>[1]): string {
  if (heldUntil !== null) return `waits for the end of quiet hours, until ${dateText(heldUntil)}`;
  return receipt === null ? "shown here" : `sent: ${chatLabel(to, places)}`;
}

function Inside({ call }: { call: Call }) {
  const back = call.error ?? call.output;
  return (
    <div className="call-inside">
      <h4>
        Input
        <CopyButton text={() => asText(call.input)} label="Copy the input" />
      </h4>
      <JsonView value={call.input} label={`Input of ${call.tool}`} />
      {back === undefined ? null : (
        <>
          <h4>
            Result
            <CopyButton text={() => asText(back)} label="Copy the result" />
          </h4>
          <JsonView value={back} label={`Result of ${call.tool}`} />
        </>
      )}
    </div>
  );
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);
