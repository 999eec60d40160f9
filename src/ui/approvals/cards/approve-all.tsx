import { useState } from "react";
import { mutate } from "swr";
import type { Answer } from "../../../wire/api.ts";
import type { ApprovalView } from "../../../wire/approval.ts";
import { ask } from "../../api.ts";
import { Revealed } from "../../parts/markdown/revealed.tsx";
import { useAct } from "../../parts/use-act.ts";
import { keyOf } from "../inbox-cards.ts";
import { isInbox } from "../waiting.ts";

/**
 * Several approvals by one act: what each would do is shown before, each goes with its own digest, and what became of each is
 * said. `approvals`: those that this person may decide.
 */
export function ApproveAll({ approvals }: { approvals: readonly ApprovalView[] }) {
  const [chosen, setChosen] = useState<readonly ApprovalView[] | null>(null);
  const [told, setTold] = useState<readonly string[]>([]);
  const { busy, fault, run } = useAct();
  const approve = (those: readonly ApprovalView[]): void =>
    void run(async () => {
      const decisions = those.map(({ sessionId, id: approvalId, digest }) => {
        return { sessionId, approvalId, decision: "approve", digest };
      });
      const { items } = await ask<Answer<"Decisions">>("/api/approvals/decisions", {
        method: "POST",
        body: { decisions },
      });
      setTold(
        items.flatMap(({ decided, error }, at) =>
          decided ? [] : [`“${those[at]?.title ?? ""}” was not approved: ${error?.message ?? ""}`],
        ),
      );
      setChosen(null);
      await mutate(isInbox);
    });
  // Of what is shown: what has come since is not approved unseen.
  const those = chosen ?? approvals;
  if (approvals.length < 2 && chosen === null && told.length === 0) return null;
  return (
    <section className="approve-all" aria-label="Several at once" aria-busy={busy}>
      {told.map((words) => (
        <p key={words} role="alert">
          <Revealed text={words} />
        </p>
      ))}
      {chosen === null ? (
        approvals.length < 2 ? null : (
          <button className="button" onClick={() => setChosen(approvals)}>
            Approve all {approvals.length}…
          </button>
        )
      ) : (
        <article className="card approval" data-state="pending">
          <h2>Approve these {those.length}?</h2>
          <ul>
            {those.map((approval) => (
              <li key={keyOf(approval)}>
                <strong>
                  <Revealed text={approval.title} />
                </strong>{" "}
                <Revealed text={approval.summary} />
                {approval.warnings.map((warning) => (
                  <p key={warning} className="soft">
                    <Revealed text={warning} />
                  </p>
                ))}
              </li>
            ))}
          </ul>
          {fault === null ? null : <p role="alert">{fault}</p>}
          <div className="row approval-choices">
            <button className="button primary" aria-disabled={busy} onClick={() => approve(those)}>
              Approve these {those.length}
            </button>
            <button className="button" onClick={() => setChosen(null)}>
              Back
            </button>
          </div>
        </article>
      )}
    </section>
  );
}
