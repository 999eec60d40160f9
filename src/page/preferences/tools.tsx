import type { Answer } from "../../cairn/protocol/api.ts";
import { effectWords } from "../../cairn/protocol/effect-words.ts";
import { useAnswer } from "../api.ts";
import { Failed } from "../parts/failed.tsx";

type Tool = Answer<"Tools">["items"][number];
type Mode = NonNullable<Tool["approval"]>["mode"];

const ASKS: Readonly<Record<Mode, { readonly words: string; readonly tone: "waits" | "bad" | undefined }>> = {
  never: { words: "Does not ask", tone: undefined },
  depends: { words: "May ask you", tone: "waits" },
  ask: { words: "Asks you first", tone: "waits" },
  deny: { words: "Not allowed", tone: "bad" },
};

const ORDER: readonly (Mode | undefined)[] = ["ask", "depends", "never", "deny", undefined];

/** Those that ask come first. */
const inOrder = (tools: readonly Tool[]): readonly Tool[] =>
  ORDER.flatMap((mode) => tools.filter(({ approval }) => approval?.mode === mode));

/** The agent's tools, and which of them ask first. */
export function Tools() {
  const { data, error, mutate } = useAnswer<Answer<"Tools">>("/api/tools");
  return (
    <section aria-labelledby="preferences-tools" aria-busy={data === undefined && error === undefined}>
      <h2 id="preferences-tools">Tools</h2>
      <p className="soft small">Tools of the agent, and which need approval.</p>
      {error === undefined ? null : <Failed failure={error} again={() => void mutate()} />}
      <ul className="preferences-tools">
        {inOrder(data?.items ?? []).map((tool) => (
          <ToolItem key={tool.name} tool={tool} />
        ))}
      </ul>
    </section>
  );
}

function ToolItem({ tool: { name, title, description, effect, approval, why } }: { tool: Tool }) {
  const asks = approval === null ? { words: "Not available", tone: undefined } : ASKS[approval.mode];
  return (
    <li>
      <details>
        <summary>
          <strong>{title ?? name}</strong>
          <span className="tag" data-tone={asks.tone}>
            {asks.words}
          </span>
        </summary>
        {[why, description, effect === null ? null : effectWords(effect)].map((text, at) =>
          text === null ? null : (
            <p key={at} className="small">
              {text}
            </p>
          ),
        )}
        <p className="soft small">
          <code>{name}</code>
        </p>
      </details>
    </li>
  );
}
