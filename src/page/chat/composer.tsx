import { useEffect, useRef, useState } from "react";
import { sentenceOf } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { hasKeys, isWriting } from "../parts/keys.ts";
import { useChatState, useCommands } from "../open-session/live.tsx";
import { useMay } from "../who.tsx";
import { AttachButton, AttachmentList, useAttachments, useDropped } from "./attachments.tsx";
import { storeDraft, readDraft } from "./draft.ts";
import { withoutInputMethod } from "../parts/input-method.ts";

/** When a message is read that is sent while a run is live. */
type When = "queue" | "steer" | "replace";
const WHENS: readonly (readonly [When, name: string, about: string])[] = [
  ["queue", "Queue", "sent after this run"],
  ["steer", "Add to this run", "read before its next step"],
  ["replace", "Replace", "stops this run and starts with your message"],
];

/**
 * The message box. Its text lives in the box itself, so that a key renders only the box, however long the
 * conversation is; it is stored for the session until it is sent. Refused text comes back.
 */
export function Composer({ waitsFor }: { waitsFor: "decision" | "answer" | null }) {
  const { id, send, steer, stop } = useCommands();
  const { activeRunId, connection } = useChatState();
  const maySend = useMay("send");
  const box = useRef<HTMLTextAreaElement>(null);
  const [when, setWhen] = useState<When>("queue");
  const [failure, setFailure] = useState<string | null>(null);
  const [sending, setSending] = useState(false);
  const live = activeRunId !== null;
  const attached = useAttachments(id, setFailure);
  const dropping = useDropped(box, maySend, attached.add);

  useEffect(() => {
    if (box.current !== null) box.current.value = readDraft(id);
    // A keyboard would cover a phone's screen, and who writes elsewhere by now goes on there.
    if (hasKeys() && !isWriting(document.activeElement)) box.current?.focus();
  }, [id]);

  if (!maySend) return <p className="composer soft">You can read this session but not write in it.</p>;

  const submit = async (when: When): Promise<void> => {
    const text = box.current?.value.trim() ?? "";
    if (box.current === null || (text === "" && attached.list.length === 0)) return;
    if (attached.isOpen) return setFailure("A file is still uploading. Wait, or remove it.");
    if (connection === "closed") return setFailure("The connection is closed. Reload the page.");
    const draft = readDraft(id);
    const taken = attached.take();
    const files = taken.flatMap(({ part }) => part ?? []);
    box.current.value = "";
    setFailure(null);
    setSending(true);
    try {
      // An open question takes the next message as its answer.
      if (!live) await send(text, undefined, files);
      else if (waitsFor === "answer") await send(text, "answer", files);
      else if (when === "steer") await (files.length === 0 ? steer(text) : send(text, "join", files));
      else await send(text, when, files);
      setWhen("queue");
      // Sent text is no draft any more; text that was typed since is.
      if (readDraft(id) === draft) storeDraft(id, "");
    } catch (thrown) {
      // Text that was typed since goes below the returned text. The box may be gone: another session is open.
      const whole = [text, box.current?.value ?? ""].filter((part) => part !== "").join("\n");
      attached.putBack(taken);
      storeDraft(id, whole);
      if (box.current !== null) box.current.value = whole;
      setFailure(sentenceOf(thrown));
    } finally {
      setSending(false);
    }
  };

  return (
    <form
      className={dropping ? "composer dropping" : "composer"}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(when);
      }}
    >
      {failure === null ? null : <p role="alert">{failure}</p>}
      <AttachmentList attachments={attached} />
      {sending && live ? <p className="soft small">Sending…</p> : null}
      <textarea
        id="composer"
        ref={box}
        rows={1}
        aria-label="Message"
        placeholder={
          waitsFor === "answer" ? "Your answer" : live ? "Anything to add?" : "What should I work on?"
        }
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          attached.add(event.clipboardData.files);
        }}
        onInput={(event) => storeDraft(id, event.currentTarget.value)}
        onKeyDown={withoutInputMethod((event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          // Without keys for Shift, Enter begins a line and the button sends.
          if (event.key !== "Enter" || event.shiftKey || !hasKeys()) return;
          event.preventDefault();
          void submit(event.ctrlKey || event.metaKey ? "steer" : when);
        })}
      />
      <div className="composer-bar">
        <AttachButton add={attached.add} />
        {live && waitsFor !== "answer" ? (
          <Whens when={when} choose={setWhen} />
        ) : (
          <span className="soft small composer-keys">Enter to send, Shift+Enter for a new line</span>
        )}
        {live ? (
          <button
            type="button"
            className="button danger"
            onClick={() =>
              void stop(activeRunId, true).catch((thrown: unknown) => setFailure(sentenceOf(thrown)))
            }
          >
            <Icon name="stop" /> Stop
          </button>
        ) : null}
        <button className="button primary" disabled={connection === "closed"} aria-label="Send">
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

function Whens({ when, choose }: { when: When; choose: (when: When) => void }) {
  return (
    <label className="whens">
      <span className="visually-hidden">What happens with your message</span>
      <select value={when} onChange={({ target }) => choose(target.value as When)}>
        {WHENS.map(([value, name, about]) => (
          <option key={value} value={value} title={about}>
            {name}
          </option>
        ))}
      </select>
      <span className="soft small">{WHENS.find(([value]) => value === when)?.[2]}</span>
    </label>
  );
}
