import { useMemo, useState } from "react";
import type { ApprovalView } from "../../../wire/approval.ts";
import { canonicalJson, type Json } from "../../../core/log/json.ts";
import { ApiError, sentenceOf, useAnswer } from "../../api.ts";
import { approvalPath, type Decision } from "../decide.ts";
import { IssuesProvider, JsonBox } from "./schema-controls.tsx";
import { Control } from "./schema-fields.tsx";
import { intoView } from "../into-view.ts";
import { fieldOf, pathsOf, placeIssues } from "./schema-form.ts";

export interface EditFormProps {
  readonly approval: ApprovalView;
  readonly busy: boolean;
  readonly failure: unknown;
  readonly send: (decision: Decision) => Promise<void>;
  readonly back: () => void;
}

/** Other arguments, in a form made of the tool's schema, or as JSON. What the server finds wrong stands beside its field. */
export default function EditForm({ approval, busy, failure, send, back }: EditFormProps) {
  // The stream's cards come without the schema.
  const fetched = useAnswer<ApprovalView>(approval.argsSchema === null ? approvalPath(approval) : null, {
    revalidateOnFocus: false,
  });
  if (approval.argsSchema === null && fetched.data === undefined && fetched.error === undefined)
    return <div className="approval-edit" aria-busy="true" />;
  const schema = approval.argsSchema ?? fetched.data?.argsSchema ?? null;
  return <Form {...{ approval, schema, busy, failure, send, back }} />;
}

function Form({ approval, schema, busy, failure, send, back }: EditFormProps & { readonly schema: Json }) {
  const [args, setArgs] = useState<Json>(approval.args);
  const [asJson, setAsJson] = useState(false);
  // The controls stay as they are while one writes in them; they are made anew after a look at the JSON.
  const field = useMemo(() => fieldOf(schema, args), [schema, asJson]);
  const isForm = field.kind === "group" && !asJson;
  const refused = failure instanceof ApiError && failure.issues.length > 0;
  const issues = useMemo(
    () => placeIssues(refused ? failure.issues : [], new Set(isForm ? pathsOf(field, args) : [])),
    [refused, failure, isForm, field, args],
  );
  const unplaced = refused ? (issues.get("") ?? []) : failure == null ? [] : [sentenceOf(failure)];
  const changed = canonicalJson(args) !== canonicalJson(approval.args);

  return (
    <form
      ref={intoView}
      className="approval-form approval-edit"
      aria-label={`Change what ${approval.tool} gets`}
      onSubmit={(event) => {
        event.preventDefault();
        void send({ decision: "edit", args });
      }}
    >
      <header className="row">
        <strong>What runs instead</strong>
        {field.kind === "group" ? (
          <button
            type="button"
            className="link-button small"
            aria-pressed={asJson}
            onClick={() => setAsJson(!asJson)}
          >
            JSON
          </button>
        ) : null}
      </header>
      <IssuesProvider value={issues}>
        {isForm ? (
          <Control field={field} value={args} path={[]} label="Arguments" onChange={setArgs} first />
        ) : (
          <JsonBox value={args} path={[]} label="Arguments as JSON" onChange={setArgs} first />
        )}
      </IssuesProvider>
      {unplaced.map((text, index) => (
        <p key={index} role="alert">
          {text}
        </p>
      ))}
      <div className="row">
        <button className="button primary" disabled={busy || !changed}>
          Approve with changes
        </button>
        <button type="button" className="button" onClick={back}>
          Back
        </button>
        {changed ? null : <span className="soft small">Nothing is changed yet.</span>}
      </div>
    </form>
  );
}
