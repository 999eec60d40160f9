import type { Answer } from "../../wire/api.ts";
import { effectWords } from "../../wire/effect-words.ts";
import { useAnswer } from "../api.ts";
import { Failed } from "../parts/failed.tsx";

type Tool = Answer<"Tools">["items"][number];
type Mode = NonNullable<Tool["approval"]>["mode"];

const ASKS: Readonly<Record<Mode, { readonly words: string; readonly tone?: "waits" | "bad" }>> = {
  never: { words: "Does not ask" },
  depends: { words: "May ask you", tone: "waits" },
  ask: { words: "Asks you first", tone: "waits" },
  deny: { words: "Not allowed", tone: "bad" },
};

/** What the agent can do here, and whether it asks first. */
export function Tools() {
  const { data, error, mutate } = useAnswer<Answer<"Tools">>("/api/tools");
  return (
    <section aria-labelledby="preferences-tools" aria-busy={data === undefined && error === undefined}>
      <h2 id="preferences-tools">Tools</h2>
      <p className="soft small">What the agent can do, and whether it asks you first.</p>
      {error === undefined ? null : <Failed failure={error} again={() => void mutate()} />}
      <ul className="preferences-tools">
        {(data?.items ?? []).map((tool) => (
          <ToolItem key={tool.name} tool={tool} />
        ))}
      </ul>
    </section>
  );
}

function ToolItem({ tool: { name, title, description, effect, approval, why } }: { tool: Tool }) {
  const asks = approval === null ? null : ASKS[approval.mode];
  return (
    <li>
      <p className="row">
        <strong>{title ?? name}</strong>
        {asks === null ? (
          <span className="tag">Not available</span>
        ) : (
          <span className="tag" data-tone={asks.tone}>
            {asks.words}
          </span>
        )}
      </p>
      {why === null ? null : <p className="soft small">{why}</p>}
      {description === null ? null : (
        <details className="small">
          <summary>Details</summary>
          <p>{description}</p>
          <p className="soft">
            {effect === null ? "" : effectWords(effect)} <code>{name}</code>
          </p>
        </details>
      )}
    </li>
  );
}
