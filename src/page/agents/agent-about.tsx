import type { Answer } from "../../cairn/protocol/api.ts";
import { useAnswer } from "../api.ts";
import { Facts } from "../parts/facts.tsx";
import "./agents.css";
import { limitLines } from "./limit-words.ts";
import type { AgentView } from "./use-agents.ts";

/** Tools and limits of an agent. Folded, because it is rarely needed. */
export function AgentAbout({ agent: { name, tools, limits } }: { agent: AgentView }) {
  const known = useAnswer<Answer<"Tools">>("/api/tools").data?.items ?? [];
  const titleOf = (tool: string): string => known.find((each) => each.name === tool)?.title ?? tool;
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return (
    <details className="agent-about small">
      <summary>
        What {name} may use: {count}
      </summary>
      <ul className="agent-tools" aria-label={`Tools of ${name}`}>
        {tools.map((tool) => (
          <li key={tool}>
            {titleOf(tool)} <code className="soft">{tool}</code>
          </li>
        ))}
      </ul>
      <p className="soft">At most, in one run:</p>
      <Facts facts={limitLines(limits)} className="agent-limits" />
    </details>
  );
}
