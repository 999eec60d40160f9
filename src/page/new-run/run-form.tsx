import { useEffect, useMemo, useRef, useState } from "react";
import { DEFAULT_AGENT } from "../../cairn/core/log/names.ts";
import type { Answer } from "../../cairn/protocol/api.ts";
import { AgentOptions } from "../agents/agent-options.tsx";
import { limitLines } from "../agents/limit-words.ts";
import { useAgents } from "../agents/use-agents.ts";
import { ApiError, ask, sentenceOf, useAnswer } from "../api.ts";
import { hasKeys } from "../parts/keys.ts";
import { goTo } from "../route.ts";
import { useWho } from "../who.tsx";
import { AsRequest } from "./as-request.tsx";
import { AreaField, ChoiceField, idOf, TextField } from "./field.tsx";
import { bodyOf, EMPTY_FORM, faultsOf, FIELDS, RUNS_PATH, type Refused, type RunForm } from "./request.ts";
import { ToolChoice } from "./tool-choice.tsx";

const NOTHING_WRONG: Refused = { faults: {}, others: [] };

/** The form keeps its content while another view is open. */
let written: RunForm = EMPTY_FORM;

export function RunRequestForm() {
  const [form, setForm] = useState(written);
  const [wrong, setWrong] = useState(NOTHING_WRONG);
  const [busy, setBusy] = useState(false);
  const own = useWho().health.model;
  const { items: agents, models } = useAgents();
  const tools = useAnswer<Answer<"Tools">>("/api/tools").data?.items ?? [];
  const request = useMemo(() => bodyOf(form), [form]);
  /** of one body: the same sent twice, as over a line that broke, starts one run */
  const key = useRef({ body: "", id: "" });
  const agent = agents.find(({ name }) => name === (form.agent === "" ? DEFAULT_AGENT : form.agent));
  const limits = new Map(limitLines(agent?.limits ?? {}));

  useEffect(() => {
    if (hasKeys()) document.getElementById(idOf("objective"))?.focus();
  }, []);
  const set = (change: Partial<RunForm>): void => {
    written = { ...form, ...change };
    setForm(written);
    const faults = { ...wrong.faults };
    for (const field of FIELDS) if (field in change) delete faults[field];
    setWrong({ faults, others: [] });
  };
  const field = <Name extends Exclude<keyof RunForm, "tools">>(name: Name) => ({
    field: name,
    fault: wrong.faults[name],
    value: form[name],
    change: (text: string) => set({ [name]: text }),
  });
  const refuse = (refused: Refused): void => {
    setWrong(refused);
    const first = FIELDS.find((each) => refused.faults[each] !== undefined);
    if (first !== undefined) document.getElementById(idOf(first))?.focus();
  };
  const submit = async (): Promise<void> => {
    if (!request.ok) return refuse({ faults: request.faults, others: [] });
    const body = JSON.stringify(request.body);
    if (key.current.body !== body) key.current = { body, id: crypto.randomUUID() };
    setBusy(true);
    setWrong(NOTHING_WRONG);
    try {
      const { sessionId } = await ask<Answer<"Run">>(RUNS_PATH, {
        method: "POST",
        body: request.body,
        headers: { "idempotency-key": key.current.id },
      });
      written = EMPTY_FORM;
      goTo({ at: "session", session: sessionId, panel: null });
    } catch (failure) {
      const refused = failure instanceof ApiError ? faultsOf(failure.issues) : NOTHING_WRONG;
      const hasFaults = Object.keys(refused.faults).length + refused.others.length > 0;
      refuse(hasFaults ? refused : { faults: {}, others: [sentenceOf(failure)] });
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      className="new-run-form"
      aria-label="New run"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p className="soft">Starts in a new session. Only the objective is required.</p>
      <AreaField {...field("objective")} label="Objective" rows={3} required />
      {agents.length < 2 ? null : (
        <ChoiceField
          {...field("agent")}
          value={form.agent === "" ? DEFAULT_AGENT : form.agent}
          // Another agent has other tools.
          change={(name) => set({ agent: name === DEFAULT_AGENT ? "" : name, tools: null })}
          label="Agent"
          {...(agent === undefined ? {} : { help: agent.description })}
        >
          <AgentOptions agents={agents} chosen={form.agent === "" ? DEFAULT_AGENT : form.agent} />
        </ChoiceField>
      )}
      <ToolChoice
        offered={agent?.tools ?? []}
        known={tools}
        chosen={form.tools}
        choose={(chosen) => set({ tools: chosen })}
        fault={wrong.faults.tools}
      />
      <div className="new-run-row">
        <TextField
          {...field("steps")}
          label="Step limit"
          inputMode="numeric"
          placeholder={limits.get("Steps") ?? ""}
        />
        <TextField
          {...field("minutes")}
          label="Time limit (minutes)"
          inputMode="decimal"
          placeholder={limits.get("Working time")?.replace(" min", "") ?? ""}
        />
      </div>
      <TextField
        {...field("model")}
        label="Model"
        list="run-models"
        placeholder={agent?.model ?? own ?? ""}
        spellCheck={false}
      />
      <datalist id="run-models">
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <AreaField
        {...field("instructions")}
        label="Instructions"
        rows={2}
        help="Added after the agent's own instructions."
      />
      <AreaField
        {...field("input")}
        label="Input (JSON)"
        className="new-run-code"
        rows={2}
        spellCheck={false}
        placeholder='{"city": "Graz"}'
        help="The objective may name what is in it: {{input.city}}."
      />
      <TextField
        {...field("resultKey")}
        label="Name of the result"
        placeholder="result"
        spellCheck={false}
        help="Key of the result in the API response."
      />
      <AreaField
        {...field("output")}
        label="Form of the result (JSON Schema)"
        className="new-run-code"
        rows={4}
        spellCheck={false}
        placeholder='{"type": "object", "properties": {"pages": {"type": "number"}}}'
        help="Empty: the run answers in words. Otherwise its answer is a value of this form."
      />
      <AsRequest body={request} />
      {wrong.others.length === 0 ? null : <p role="alert">{wrong.others.join(" ")}</p>}
      <div className="row">
        <button className="button primary" disabled={busy}>
          Start the run
        </button>
        <button type="button" className="button" disabled={busy} onClick={() => set(EMPTY_FORM)}>
          Empty the form
        </button>
      </div>
    </form>
  );
}
