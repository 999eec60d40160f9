import { ownValue } from "../../cairn/core/log/json.ts";
import { useMemo } from "react";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";
import { effectWords } from "../../cairn/protocol/effect-words.ts";
import type { MemoryView } from "../../cairn/protocol/views.ts";
import { useAnswer } from "../api.ts";
import { Ago, dateText } from "../parts/time.tsx";
import { approversWords } from "./approval-words.ts";
import { OutlookView } from "./change-list.tsx";
import { ArgumentsText, type Names } from "./whole-text.tsx";
import { Revealed } from "../parts/revealed.tsx";

/** Everything that is approved, none of it folded. */
export function ApprovalFacts({ approval }: { approval: ApprovalView }) {
  const names = useNames(approval.sessionId);
  return (
    <>
      <OutlookView outlook={approval} tainted={approval.tainted} />
      <ArgumentsText approval={approval} names={names} />
    </>
  );
}

/** Why a person is asked, and who decides. */
export function ApprovalDetails({ approval }: { approval: ApprovalView }) {
  const { why, effect, digest, votes } = approval;
  const editor = votes.find(({ decision }) => decision === "edit")?.subject;
  return (
    <>
      {approval.askedArgs === null ? null : (
        <p className="small soft">{editor ?? "Somebody"} edited the request.</p>
      )}
      <details>
        <summary>Details</summary>
        <div className="approval-facts">
          <p className="soft small">
            {why} {effectWords(effect)}
          </p>
          <Whos approval={approval} />
          <p className="soft small approval-digest">Checksum of this request: {digest}</p>
        </div>
      </details>
    </>
  );
}

/** Names of the session's entities by ID. A person who may not read them sees IDs. */
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
        {escalated ? ". Nobody decided in time, so more people were asked" : ""}
      </dd>
      {votes.length === 0 ? null : (
        <>
          <dt>Votes</dt>
          <dd>
            <ul>
              {votes.map(({ subject, decision, reason, at }) => (
                <li key={subject}>
                  {subject}: {ownValue(VOTES, decision) ?? decision}, <Ago at={at} />
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
        {onExpiry === "escalate" && !escalated ? "then more people are asked" : "then it is cancelled"}
      </dd>
    </dl>
  );
}

const VOTES: Readonly<Record<string, string>> = {
  approve: "agreed",
  edit: "changed it and agreed",
  deny: "declined",
};
