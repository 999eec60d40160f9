import type { Answer } from "../../cairn/protocol/api.ts";
import { useAnswer } from "../api.ts";
import { toolsToName } from "./tools-to-name.ts";

/** The tools that the project adds to those of every deployment: "I can: create_ticket". */
export function OwnTools() {
  const { data } = useAnswer<Answer<"Tools">>("/api/tools", { shouldRetryOnError: false });
  const { shown, more } = toolsToName(data?.items ?? []);
  if (shown.length === 0) return null;
  return (
    <div className="own-tools">
      <p>I can:</p>
      <ul>
        {shown.map(({ name, title }) => (
          <li key={name}>
            <code>{name}</code>
            {title === null || title === name ? null : <span className="small soft"> {title}</span>}
          </li>
        ))}
      </ul>
      {more === 0 ? null : <p className="small soft">and {more} more</p>}
    </div>
  );
}
