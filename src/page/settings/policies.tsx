import { useRef } from "react";
import type { PolicyView } from "../../cairn/protocol/approval.ts";
import type { Answer } from "../../cairn/protocol/api.ts";
import type { SessionDetail } from "../../cairn/protocol/views.ts";
import { ask, useAnswer } from "../api.ts";
import { dateText } from "../parts/time.tsx";
import { useToast } from "../parts/toasts.tsx";
import { useMay } from "../who.tsx";
import { policyWords } from "./policy-words.ts";
import { useAct } from "../parts/use-act.ts";

/** Decisions that hold for later calls too, and taking them back. */
export function Policies({ session, changed }: { session: SessionDetail; changed: () => void }) {
  const may = useMay("approve");
  const showToast = useToast();
  const { busy, fault, run } = useAct();
  const heading = useRef<HTMLHeadingElement>(null);
  const tools = useAnswer<Answer<"Tools">>(session.policies.length === 0 ? null : "/api/tools").data?.items;
  const titleOf = (tool: string): string => tools?.find(({ name }) => name === tool)?.title ?? tool;
  const revoke = async ({ id, tool }: PolicyView): Promise<void> => {
    if (!(await run(() => ask(`/api/sessions/${session.id}/policies/${id}`, { method: "DELETE" })))) return;
    changed();
    heading.current?.focus();
    showToast(`You will be asked about “${titleOf(tool)}” again.`);
  };
  return (
    <section className="settings-part" aria-labelledby="settings-policies">
      <h3 id="settings-policies" ref={heading} tabIndex={-1}>
        Remembered decisions
      </h3>
      {fault === null ? null : <p role="alert">{fault}</p>}
      {session.policies.length === 0 ? (
        <p className="soft small">None yet. Choose “Remember” on an approval to add one.</p>
      ) : (
        <ul className="settings-list">
          {session.policies
            .map((policy) => ({ policy, words: policyWords(policy) }))
            .map(({ policy, words }) => (
              <li key={policy.id}>
                <span>
                  <span className="tag" data-tone={words.tone}>
                    {words.tag}
                  </span>{" "}
                  {titleOf(policy.tool)},{" "}
                  {policy.match === "tool" ? "with any arguments" : "with the same arguments"}
                  <span className="soft small settings-under">
                    by {policy.by}, until{" "}
                    <time dateTime={policy.expiresAt}>{dateText(policy.expiresAt)}</time>
                    {words.note === null ? null : `. ${words.note}`}
                  </span>
                </span>
                {may ? (
                  <button
                    className="button"
                    disabled={busy}
                    aria-label={`Revoke the decision about ${titleOf(policy.tool)}`}
                    onClick={() => void revoke(policy)}
                  >
                    Revoke
                  </button>
                ) : null}
              </li>
            ))}
        </ul>
      )}
    </section>
  );
}
