import { useState } from "react";
import type { Answer } from "../../wire/api.ts";
import type { SessionDetail, SessionView } from "../../wire/views.ts";
import { ask, useAnswer } from "../api.ts";
import { putSession } from "../session-list/use-sessions.ts";
import { useSay } from "../shell/toasts.tsx";
import { useAct } from "../parts/use-act.ts";

/** `GET /api/agents` */
const NOTHING: Answer<"Agents"> = { items: [], models: [] };

/** How the session is called, and by which model it is worked. */
export function Identity({ session, mayChange }: { session: SessionDetail; mayChange: boolean }) {
  const { items: agents, models } = useAnswer<Answer<"Agents">>("/api/agents").data ?? NOTHING;
  const named = models.filter((model) => !model.endsWith("*"));
  const known = [...new Set([session.model ?? [], named].flat())];
  const open = models.filter((model) => model.endsWith("*"));
  return (
    <section className="settings-part" aria-labelledby="settings-identity">
      <h3 id="settings-identity">Name and model</h3>
      <Field
        session={session}
        name="title"
        label="Title"
        value={session.title}
        mayChange={mayChange}
        done="Renamed."
      />
      <Field
        session={session}
        name="model"
        label="Model"
        value={session.model ?? ""}
        mayChange={mayChange}
        done="From the next message on, this model is used."
        list="settings-models"
        help={`Used from the next message on. A run that is at work keeps its model.${open.length === 0 ? "" : ` Also any ${open.join(", ")}.`}`}
        none="Use the default model"
      />
      <datalist id="settings-models">
        {known.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      {agents[0] === undefined ? null : (
        <p className="small">
          <span className="soft">Agent</span> {agents[0].name}
          <span className="soft">: {agents[0].description}</span>
        </p>
      )}
    </section>
  );
}

interface FieldProps {
  readonly session: SessionDetail;
  readonly name: "title" | "model";
  readonly label: string;
  readonly value: string;
  readonly mayChange: boolean;
  readonly done: string;
  readonly list?: string;
  readonly help?: string | null;
  /** what takes the value away */
  readonly none?: string;
}

function Field({ session, name, label, value, mayChange, done, list, help = null, none }: FieldProps) {
  const say = useSay();
  const { busy, fault, run, say: tell } = useAct();
  const [text, setText] = useState(value);
  // What changed elsewhere is shown, as long as nothing is being written here.
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (text === known) setText(value);
  }
  const save = async (to: string | null): Promise<void> => {
    const written = text;
    const saved = await run(async () => {
      const body = { [name]: to };
      const now = await ask<SessionView>(`/api/sessions/${session.id}`, { method: "PATCH", body });
      await putSession(now);
      setText((later) => (later === written ? (now[name] ?? "") : later));
    });
    if (saved) say(done);
  };
  const id = `settings-${name}`;
  const isChanged = text.trim() !== value && text.trim() !== "";
  return (
    <form
      className="settings-field"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) void save(text.trim());
      }}
    >
      <label htmlFor={id}>{label}</label>
      <div className="settings-line">
        <input
          id={id}
          value={text}
          list={list}
          maxLength={200}
          autoComplete="off"
          readOnly={!mayChange}
          aria-describedby={
            [help === null ? "" : `${id}-help`, fault === null ? "" : `${id}-fault`].join(" ").trim() ||
            undefined
          }
          aria-invalid={fault !== null || undefined}
          onChange={({ target }) => {
            setText(target.value);
            tell(null);
          }}
        />
        {mayChange ? (
          <button className="button" disabled={busy || !isChanged} aria-label={`Save the ${name}`}>
            Save
          </button>
        ) : null}
      </div>
      {fault === null ? null : (
        <p role="alert" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {help === null ? null : (
        <p className="soft small" id={`${id}-help`}>
          {help}
        </p>
      )}
      {none === undefined || !mayChange ? null : (
        <button type="button" className="link-button small" disabled={busy} onClick={() => void save(null)}>
          {none}
        </button>
      )}
    </form>
  );
}
