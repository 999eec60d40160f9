import { decisionText, LEADS, type DecisionSection } from "../../cairn/core/text/decision-text.ts";
import type { ApprovalView } from "../../cairn/protocol/approval.ts";

/** Names of things by their ids. */
export type Names = ReadonlyMap<string, string>;

type Shown = Pick<
  ApprovalView,
  "title" | "summary" | "impact" | "changes" | "batch" | "warnings" | "tool" | "args" | "askedArgs"
>;

/** The arguments of a call as they run, complete and unfolded, and the agent's original ones if somebody changed them. */
export function ArgumentsText({ approval, names }: { readonly approval: Shown; readonly names: Names }) {
  const { sections } = decisionText(approval);
  const named = [...names].filter(([id]) => JSON.stringify(approval.args).includes(JSON.stringify(id)));
  return (
    <>
      {sections
        .filter(({ kind }) => kind === "arguments" || kind === "asked")
        .map((section) => (
          <Section key={section.kind} section={section} names={section.kind === "arguments" ? named : []} />
        ))}
    </>
  );
}

function Section({
  section: { kind, heading, lines },
  names,
}: {
  readonly section: DecisionSection;
  readonly names: readonly (readonly [id: string, name: string])[];
}) {
  return (
    <div className="arguments" role="group" aria-label={heading ?? undefined}>
      <strong>{heading}</strong>
      <pre className="decision-lines">{lines.map((line) => `${LEADS[kind].trim()}${line}`).join("\n")}</pre>
      {names.length === 0 ? null : (
        <ul className="small soft decision-names" aria-label="Names in this session">
          {names.map(([id, name]) => (
            <li key={id}>
              <code>{id}</code> is called “{name}” here
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
