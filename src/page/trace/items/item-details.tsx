import { use, useState } from "react";
import type { BodyOf } from "../../../cairn/core/log/entry.ts";
import type { Json } from "../../../cairn/core/log/json.ts";
import { revealHidden } from "../../../cairn/core/text/untrusted.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Markdown } from "../../parts/markdown/lazy-markdown.tsx";
import { durationText } from "../../parts/time.tsx";
import { ChildContext } from "./child-context.ts";
import type { Item } from "./item.ts";
import { FINISH_WORDS, rememberedText } from "../../log-text/codes.ts";

/** All log entries of an item: a summary, and the unfolded entries themselves. */
export function ItemDetails({ item }: { item: Item }) {
  const shown = item.entries.length === 1 ? item.entries[0] : item.entries;
  const Child = use(ChildContext);
  return (
    <>
      {item.child === undefined || Child === null ? null : <Child session={item.child} />}
      {item.input === null ? null : <Shown name="Arguments" value={item.input} of={item.title} />}
      {item.message === undefined ? (
        item.entries.map((entry) => <EntryFacts key={entry.seq} entry={entry} />)
      ) : (
        <Message text={item.message.text} />
      )}
      {shown === undefined || item.entries.length === 0 ? (
        <p className="soft">The log has no entry of it yet.</p>
      ) : (
        <LogEntries shown={shown} count={item.entries.length} title={item.title} />
      )}
    </>
  );
}

/** The raw entries. Their content is summarized above, so they are drawn on demand. */
function LogEntries({ shown, count, title }: { shown: unknown; count: number; title: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="trace-caption">{count === 1 ? "Log entry" : `${count} log entries`}</summary>
      {open ? (
        <figure>
          <CopyButton text={() => JSON.stringify(shown, null, 2)} label="Copy the entries" />
          <JsonView value={visible(shown)} label={`Entries of “${title}”`} />
        </figure>
      ) : null}
    </details>
  );
}

function EntryFacts({ entry }: { entry: Event }) {
  switch (entry.kind) {
    case "model_replied":
      return <Reply body={entry.body} />;
    case "call_settled":
      return (
        <>
          <Shown name="Result" value={parsed(entry.body.observation)} cut={cutText(entry.body)} />
          <Words name="Logged by the tool">{(entry.body.logs ?? []).join("\n")}</Words>
          <Words name="In memory">{rememberedText(entry.body)}</Words>
        </>
      );
    case "approval_requested":
      return (
        <Words name="What was shown">
          {[entry.body.summary, ...entry.body.impact.map((line) => `· ${line}`)].join("\n")}
        </Words>
      );
    case "approval_decided":
    case "approval_voted":
      return entry.body.decision === "edit" ? (
        <Shown name="Arguments, as they were changed" value={entry.body.args} />
      ) : null;
    case "answer":
      return <Words name="Answer">{entry.body.text}</Words>;
    case "user_message":
      return (
        <Words name="Words">
          {entry.body.parts
            .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`))
            .join("\n")}
        </Words>
      );
    case "compacted":
      return <Words name="Summary">{entry.body.summary}</Words>;
    case "plan_changed":
      return (
        <Words name="Plan">
          {entry.body.items.map((each) => `${each.id} ${each.status}: ${each.text}`).join("\n")}
        </Words>
      );
    default:
      return null;
  }
}

function Reply({ body }: { body: BodyOf<"model_replied"> }) {
  const text = (type: "text" | "reasoning"): string =>
    body.parts.map((part) => (part.type === type ? part.text : "")).join("");
  const { usage, firstTokenMs, ms, finish } = body;
  const figures = [
    `${usage.inputTokens.toLocaleString("en")} tokens in`,
    usage.cachedInputTokens === 0 ? null : `${usage.cachedInputTokens.toLocaleString("en")} of them cached`,
    `${usage.outputTokens.toLocaleString("en")} out`,
    usage.reasoningTokens === 0 ? null : `${usage.reasoningTokens.toLocaleString("en")} of them reasoning`,
    usage.estimated ? "estimated" : null,
    firstTokenMs === null ? null : `first words after ${durationText(firstTokenMs)}`,
    `${durationText(ms)} in all`,
    FINISH_WORDS[finish],
  ].filter((part) => part !== null);
  return (
    <>
      <p className="soft small">{figures.join(" · ")}</p>
      <Words name="Thought">{text("reasoning")}</Words>
      <Words name="Text">{text("text")}</Words>
    </>
  );
}

function Message({ text }: { text: string }) {
  return (
    <figure>
      <figcaption className="trace-caption">Message</figcaption>
      <div className="trace-message">
        <Markdown text={text} />
      </div>
    </figure>
  );
}

function Words({ name, children }: { name: string; children: string }) {
  if (children.trim() === "") return null;
  return (
    <figure>
      <figcaption className="trace-caption">{name}</figcaption>
      <p className="trace-words">{revealHidden(children)}</p>
    </figure>
  );
}

interface ShownProps {
  readonly name: string;
  readonly value: Json;
  readonly cut?: string | null;
  /** their subject, for a screen reader with several open ones; absent for a single one */
  readonly of?: string;
}

function Shown({ name, value, cut = null, of }: ShownProps) {
  return (
    <figure>
      <figcaption className="trace-caption">
        {name}
        {cut === null ? null : <span className="soft">{cut}</span>}
      </figcaption>
      <JsonView value={visible(value)} label={of === undefined ? name : `${name} of ${of}`} />
    </figure>
  );
}

const cutText = ({ observation, chars }: BodyOf<"call_settled">): string | null =>
  chars > observation.length ? `the first of ${chars.toLocaleString("en")} characters` : null;

/** Indented, with what is not seen in sight. */
const visible = (value: unknown): string =>
  revealHidden(typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** A result that is JSON is shown indented, any other as it is. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
