import { Icon } from "../parts/icon.tsx";
import { oneLine } from "../parts/one-line.ts";
import { plainWords } from "../parts/plain-words.ts";
import { dateText } from "../parts/time.tsx";
import type { Sent } from "./sent.ts";
import type { SentState } from "./state.ts";
import "./sent.css";

const TEXT_CHARS = 240;

/** Sent messages, each with its destination and its state. */
export function SentList({ items, label }: { items: readonly Sent[]; label: string }) {
  return (
    <ul className="sent" aria-label={label}>
      {items.map(({ id, what, text, where, state }) => (
        <li key={id}>
          <p className="sent-head small">
            <strong>{what}</strong> <span dir="auto">{where}</span>
          </p>
          {text === "" ? null : (
            <p className="sent-text" dir="auto">
              {oneLine(plainWords(text), TEXT_CHARS)}
            </p>
          )}
          <StateLine state={state} />
        </li>
      ))}
    </ul>
  );
}

const ICONS = { good: "check", bad: "close", waits: "warn", plain: null } as const;

export function StateLine({ state: { tone, words, at, more } }: { state: SentState }) {
  const icon = ICONS[tone];
  return (
    <p className="sent-state small" data-tone={tone}>
      {icon === null ? null : <Icon name={icon} />}
      <span>
        {words}
        {at === null ? null : (
          <>
            {tone === "bad" || words.includes(":") ? " · " : " "}
            <time dateTime={at}>{dateText(at)}</time>
          </>
        )}
        {more === "" ? null : `. ${more}`}
      </span>
    </p>
  );
}
