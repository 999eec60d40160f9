import { useMemo } from "react";
import type { ApprovalView } from "../../wire/approval.ts";
import { effectWords } from "../../wire/effect-words.ts";
import type { MemoryView } from "../../wire/views.ts";
import { useAnswer } from "../api.ts";
import { Ago, dateText } from "../parts/time.tsx";
import { approversWords } from "./approval-words.ts";
import { Lines, OutlookView } from "./change-list.tsx";
import { Arguments, type Names } from "./edit/arguments.tsx";
import { Revealed } from "../parts/markdown/revealed.tsx";

/** What will happen, and folded below it exactly what runs and who decides. */
export function ApprovalFacts({ approval }: { approval: ApprovalView }) {
  const { impact, changes, warnings, tainted, args, askedArgs, votes, tool, why, digest } = approval;
  const names = useNames(approval.sessionId);
  const editor = votes.find(({ decision }) => decision === "edit")?.subject;
  const what = <Arguments args={args} label={`What runs: ${tool}`} names={names} />;
  // Of a tool that does not know what it changes, the arguments are all there is to decide by.
  const known = changes.length > 0;
  const lines = impact.filter((line) => !warnings.includes(line));
  return (
    <>
      <OutlookView outlook={approval} tainted={tainted} />
      {known ? null : what}
      {askedArgs == null ? null : (
        <details>
          <summary>{editor ?? "Somebody"} has changed what the agent asked for</summary>
          <Arguments args={askedArgs} label="What the agent asked for" names={names} />
        </details>
      )}
      <details>
        <summary>Details</summary>
        <div className="approval-facts">
          {known ? what : null}
          {known && lines.length > 0 ? <Lines lines={lines} /> : null}
          <p className="soft small">
            {why} {effectWords(approval.effect)}
          </p>
          <Whos approval={approval} />
          <p className="soft small approval-digest">Checksum of what runs: {digest}</p>
        </div>
      </details>
    </>
  );
}

/** What the session knows by name. Who may not read it there sees ids. */
export function useNames(session: string): Names {
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
