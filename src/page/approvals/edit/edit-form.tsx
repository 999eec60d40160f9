import { useMemo, useRef, useState } from "react";
import type { ApprovalView } from "../../../cairn/protocol/approval.ts";
import { canonicalJson, type Json } from "../../../cairn/core/log/json.ts";
import type { Answer } from "../../../cairn/protocol/api.ts";
import { ApiError, ask, sentenceOf, useAnswer } from "../../api.ts";
import { useNames } from "../approval-facts.tsx";
import { OutlookView } from "../change-list.tsx";
import { approvalPath, type Decision } from "../decision.ts";
import { keyOf } from "../inbox-cards.ts";
import { useReadThrough } from "../read-through.ts";
import { ArgumentsText } from "../whole-text.tsx";
import { Revealed } from "../../parts/revealed.tsx";
import { IssuesProvider, JsonBox, NamesProvider } from "./schema-controls.tsx";
import { Control } from "./schema-fields.tsx";
import { intoView } from "../into-view.ts";
import { EARLY_WORDS, useGate } from "../use-gate.ts";
import { fieldOf, pathsOf, placeIssues } from "./schema-form.ts";

export interface EditFormProps {
  readonly approval: ApprovalView;
  readonly busy: boolean;
  readonly failure: unknown;
  readonly send: (decision: Decision) => Promise<void>;
  readonly back: () => void;
}

/**
 * Edited arguments, in a form made from the tool's schema, or as JSON. Issues from the server are shown at their
 * field, and the effect is shown before it can be approved.
 */
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

/** Other arguments, and what they would do. */
interface Seen {
  readonly args: string;
  readonly outlook: Answer<"EditPreview">;
}

function Form({ approval, schema, busy, failure, send, back }: EditFormProps & { readonly schema: Json }) {
  const [args, setArgs] = useState<Json>(approval.args);
  const [asJson, setAsJson] = useState(false);
  const [seen, setSeen] = useState<Seen | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [looking, setLooking] = useState(false);
  const names = useNames(approval.sessionId);
  // The controls stay as they are while one writes in them; they are made anew after a look at the JSON.
  const field = useMemo(() => fieldOf(schema, args), [schema, asJson]);
  const isForm = field.kind === "group" && !asJson;
  const wrong = refusal ?? failure;
  const refused = wrong instanceof ApiError && wrong.issues.length > 0;
  const issues = useMemo(
    () => placeIssues(refused ? wrong.issues : [], new Set(isForm ? pathsOf(field, args) : [])),
    [refused, wrong, isForm, field, args],
  );
  const unplaced = refused ? (issues.get("") ?? []) : wrong == null ? [] : [sentenceOf(wrong)];
  const written = canonicalJson(args);
  const changed = written !== canonicalJson(approval.args);
  // A yes is for what one has seen, so other arguments are looked at again.
  const isSeen = seen?.args === written;
  // The button that shows what they would do becomes the one that approves them.
  const outlook = useRef<HTMLElement>(null);
  const isRead = useReadThrough(outlook, isSeen ? seen.outlook.digest : "");
  // Under the name of its card, whose own gate the same press passes next: under another it would be taken for an echo.
  const gate = useGate(outlook, keyOf(approval), isSeen ? JSON.stringify([approval.digest, seen]) : null);
  const approve = (): void => {
    if (gate.admits()) void send({ decision: "edit", args });
  };

  const look = async (): Promise<void> => {
    setLooking(true);
    setRefusal(null);
    try {
      const path = `${approvalPath(approval)}/preview`;
      setSeen({ args: written, outlook: await ask(path, { method: "POST", body: { args } }) });
    } catch (error) {
      setSeen(null);
      setRefusal(error);
    } finally {
      setLooking(false);
    }
  };

  return (
    <form
      ref={intoView}
      className="approval-form approval-edit"
      aria-label={`Change what ${approval.tool} gets`}
      onSubmit={(event) => {
        event.preventDefault();
        if (busy || looking) return;
        if (!isSeen) void look();
        else if (isRead) approve();
      }}
    >
      <header className="row">
        <strong>Edit the request</strong>
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
        <NamesProvider value={names}>
          {isForm ? (
            <Control field={field} value={args} path={[]} label="Arguments" onChange={setArgs} first />
          ) : (
            <JsonBox value={args} path={[]} label="Arguments as JSON" onChange={setArgs} first />
          )}
        </NamesProvider>
      </IssuesProvider>
      {unplaced.map((text, index) => (
        <p key={index} role="alert">
          {text}
        </p>
      ))}
      <div role="status">
        {isSeen ? (
          <section ref={outlook} className="approval-seen" aria-label="With your changes">
            <h3>
              <Revealed text={seen.outlook.title} />
            </h3>
            <OutlookView outlook={seen.outlook} tainted={approval.tainted} />
            <ArgumentsText
              approval={{ ...seen.outlook, tool: approval.tool, askedArgs: null }}
              names={names}
            />
          </section>
        ) : null}
      </div>
      <div className="row">
        <button
          className="button primary"
          disabled={busy || looking || !changed || (isSeen && !isRead)}
          aria-disabled={isSeen && !gate.ready}
        >
          {isSeen ? "Approve with changes" : "Preview the changes"}
        </button>
        <button type="button" className="button" onClick={back}>
          Back
        </button>
        {isSeen && !isRead ? (
          <span className="soft small approval-unread">Scroll through all of it to approve it.</span>
        ) : null}
        {changed ? null : <span className="soft small">No changes yet.</span>}
      </div>
      <div role="status">{isSeen && gate.early ? <p className="soft small">{EARLY_WORDS}</p> : null}</div>
    </form>
  );
}
