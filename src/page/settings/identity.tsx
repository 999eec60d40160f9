import { useState } from "react";
import type { SessionDetail, SessionView } from "../../cairn/protocol/views.ts";
import { useAgents } from "../agents/use-agents.ts";
import { ask } from "../api.ts";
import { putSession } from "../session-list/use-sessions.ts";
import { useToast } from "../parts/toasts.tsx";
import { useAct } from "../parts/use-act.ts";
import { modelName } from "../log-text/codes.ts";
import { useWho } from "../who.tsx";
import { AgentPart } from "./agent.tsx";

/** How the session is called, and which agent and model work on it. */
export function Identity({ session, mayChange }: { session: SessionDetail; mayChange: boolean }) {
  const { models } = useAgents();
  return (
    <section className="settings-part" aria-labelledby="settings-identity">
      <h3 id="settings-identity">Title, agent and model</h3>
      <Field
        session={session}
        name="title"
        label="Title"
        value={session.title}
        mayChange={mayChange}
        done="Renamed."
      />
      <AgentPart session={session} mayChange={mayChange} />
      <ModelChoice session={session} models={models} mayChange={mayChange} />
    </section>
  );
}

const MODEL_SAVED = "Applies to your next message, not the current run.";
const OTHER = "*";

interface ModelChoiceProps {
  readonly session: SessionDetail;
  /** allowed models; a name that ends in `*` allows all with that prefix */
  readonly models: readonly string[];
  readonly mayChange: boolean;
}

/** The models of this deployment. Where it allows all of a kind, another one of that kind can be written. */
function ModelChoice({ session, models, mayChange }: ModelChoiceProps) {
  const own = useWho().health.model;
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  const [other, setOther] = useState(false);
  const open = models.filter((model) => model.endsWith("*"));
  const known = [
    ...new Set([own ?? [], session.model ?? [], models.filter((each) => !open.includes(each))].flat()),
  ];
  const choose = async (chosen: string): Promise<void> => {
    setOther(chosen === OTHER);
    if (chosen === OTHER) return;
    const saved = await run(async () => {
      const body = { model: chosen === own ? null : chosen };
      await putSession(await ask<SessionView>(`/api/sessions/${session.id}`, { method: "PATCH", body }));
    });
    if (saved) showToast(MODEL_SAVED);
  };
  return (
    <>
      <div className="settings-field">
        <label htmlFor="settings-model">Model</label>
        <select
          id="settings-model"
          value={other ? OTHER : (session.model ?? "")}
          disabled={!mayChange || busy}
          aria-describedby="settings-model-help"
          onChange={({ target }) => void choose(target.value)}
        >
          {known.map((model) => (
            <option key={model} value={model}>
              {modelName(model)}
              {model === own ? " (default)" : ""}
            </option>
          ))}
          {session.model === null ? <option value="">None is set</option> : null}
          {open.length === 0 ? null : <option value={OTHER}>Another model…</option>}
        </select>
        {fault === null ? null : <p role="alert">{fault}</p>}
        <p className="soft small" id="settings-model-help">
          {MODEL_SAVED}
        </p>
      </div>
      {other ? (
        <Field
          session={session}
          name="model"
          label="Name of the model"
          value=""
          mayChange={mayChange}
          done={MODEL_SAVED}
          help={`Such as ${open.join(" or ")}, with the rest of the name in place of the star.`}
          saved={() => setOther(false)}
        />
      ) : null}
    </>
  );
}

interface FieldProps {
  readonly session: SessionDetail;
  readonly name: "title" | "model";
  readonly label: string;
  readonly value: string;
  readonly mayChange: boolean;
  readonly done: string;
  readonly help?: string | null;
  readonly saved?: () => void;
}

function Field({ session, name, label, value, mayChange, done, help = null, saved }: FieldProps) {
  const showToast = useToast();
  const { busy, fault, run, setFault } = useAct();
  const [text, setText] = useState(value);
  // Changes from elsewhere are shown, as long as nothing is being typed here.
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (text === known) setText(value);
  }
  const save = async (to: string): Promise<void> => {
    const written = text;
    const isDone = await run(async () => {
      const body = { [name]: to };
      const now = await ask<SessionView>(`/api/sessions/${session.id}`, { method: "PATCH", body });
      await putSession(now);
      setText((later) => (later === written ? (now[name] ?? "") : later));
    });
    if (!isDone) return;
    showToast(done);
    saved?.();
  };
  const id = `settings-field-${name}`;
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
            setFault(null);
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
    </form>
  );
}
