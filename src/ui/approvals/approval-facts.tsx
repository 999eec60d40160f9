import { useMemo } from "react";
import type { ApprovalView } from "../../wire/approval.ts";
import { effectWords } from "../../wire/effect-words.ts";
import type { MemoryView } from "../../wire/views.ts";
import { useAnswer } from "../api.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago, dateText } from "../parts/time.tsx";
import { approversWords } from "./approval-words.ts";
import { Arguments, type Names } from "./edit/arguments.tsx";
import { Revealed } from "../parts/markdown/revealed.tsx";

/** What will happen, by the server's words computed from what is there now, and exactly what runs. Never the model's words. */
export function ApprovalFacts({ approval }: { approval: ApprovalView }) {
  if (approval.state === "pending") return <Facts approval={approval} />;
  return (
    <details className="approval-was">
      <summary>What was asked</summary>
      <div className="approval-facts">
        <Facts approval={approval} />
      </div>
    </details>
  );
}

function Facts({ approval }: { approval: ApprovalView }) {
  const { summary, impact, tainted, args, askedArgs, votes, tool, why } = approval;
  const names = useNames(approval.sessionId);
  const editor = votes.find(({ decision }) => decision === "edit")?.subject;
  return (
    <>
      <p className="approval-summary">
        <Revealed text={summary} />
      </p>
      {tainted ? (
        <p className="approval-warning">
          <Icon name="warn" />
          This run has read content from outside, which may have led it here. Look twice.
        </p>
      ) : null}
      {impact.length === 0 ? null : (
        <ul className="approval-impact">
          {impact.map((each, index) => (
            <li key={index}>
              <Revealed text={each} />
            </li>
          ))}
        </ul>
      )}
      <Arguments args={args} label={`What runs: ${tool}`} names={names} />
      {askedArgs == null ? null : (
        <details>
          <summary>{editor ?? "Somebody"} has changed what the agent asked for</summary>
          <Arguments args={askedArgs} label="What the agent asked for" names={names} />
        </details>
      )}
      <p className="soft small">
        {why} {effectWords(approval.effect)}
      </p>
      <details>
        <summary>Who asks, who decides</summary>
        <Whos approval={approval} />
      </details>
    </>
  );
}

/** What the session knows by name. Who may not read it there sees ids. */
function useNames(session: string): Names {
  const entities = useAnswer<MemoryView>(`/api/sessions/${session}/memory`).data?.entities;
  return useMemo(() => new Map(entities?.map(({ id, name }) => [id, name])), [entities]);
}

function Whos({ approval }: { approval: ApprovalView }) {
  const { requester, approvers, needed, votes, escalated, expiresAt, onExpiry, createdAt } = approval;
  return (
    <dl className="approval-whos small">
      <dt>Asked for by</dt>
      <dd>
        {requester}, <Ago at={createdAt} />
      </dd>
      <dt>Decided by</dt>
      <dd>
        {approversWords(approvers)}; an admin may always
        {needed > 1 ? `. ${needed} people have to agree` : ""}
        {escalated ? ". Nobody had decided in time, so more people are asked" : ""}
      </dd>
      {votes.length === 0 ? null : (
        <>
          <dt>Votes</dt>
          <dd>
            <ul>
              {votes.map(({ subject, decision, reason, at }) => (
                <li key={subject}>
                  {subject}: {VOTES[decision] ?? decision}, <Ago at={at} />
                  {reason === null ? null : (
                    <>
                      {" "}
                      “<Revealed text={reason} />”
                    </>
                  )}
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      <dt>Until</dt>
      <dd>
        {dateText(expiresAt)};{" "}
        {onExpiry === "escalate" && !escalated ? "then more people are asked" : "then it is not done"}
      </dd>
    </dl>
  );
}

const VOTES: Readonly<Record<string, string>> = {
  approve: "agreed",
  edit: "changed it and agreed",
  deny: "said no",
};
