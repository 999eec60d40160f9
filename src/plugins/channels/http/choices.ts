import { escapeMarkdown } from "../text/plain.ts";
import { modelText, parseModelName } from "../../../cairn/core/log/model.ts";
import type { Actor, ChangeCommand } from "../../../cairn/session/api/session-api.ts";
import { modelAllowed, ownNames } from "../../../cairn/config/config.ts";
import type { Deps } from "../../../cairn/http/deps.ts";

/** `/agent NAME` and `/model NAME`: what works on the conversation from now on. Without a name: what there is. */

const LISTED_MAX = 40;

/** The change that the words ask for, or the answer where they ask for none. */
export type Choice =
  | { readonly change: Omit<ChangeCommand, "ifVersion">; readonly done: string }
  | { readonly words: string };

export const CHOICES: ReadonlySet<string> = new Set(["agent", "model"]);

export async function readChoice(
  { agents, config }: Pick<Deps, "agents" | "config">,
  actor: Actor,
  command: string,
  args: string,
): Promise<Choice> {
  const wanted = args.trim();
  if (command === "agent") {
    if (wanted !== "")
      return {
        change: { agent: wanted },
        done: `The agent “${escapeMarkdown(wanted)}” answers from now on.`,
      };
    const names = await agents.names();
    if (names === null || !actor.scopes.some((scope) => scope === "read" || scope === "admin"))
      return { words: "Name the agent: `/agent NAME`." };
    return { words: listed("Agents", names, "/agent NAME") };
  }
  const { models } = config;
  if (models === null) return { words: "No model can be asked here." };
  const own = [models.primary, ...models.fallbacks].map(modelText);
  if (wanted === "")
    return { words: listed("Models", [...new Set([...own, ...models.allowed])], "/model NAME") };
  if (wanted === "default")
    return { change: { model: null }, done: "The model of the deployment answers from now on." };
  const name = parseModelName(wanted, ownNames(models));
  if (name === null || !modelAllowed(models, name))
    return { words: "This model may not be named here. `/model` lists those that may." };
  return {
    change: { model: modelText(name) },
    done: `The model “${escapeMarkdown(modelText(name))}” answers from now on.`,
  };
}

function listed(title: string, names: readonly string[], use: string): string {
  const shown = names.slice(0, LISTED_MAX).map((name) => `- ${escapeMarkdown(name)}`);
  const more = names.length > shown.length ? [`- and ${names.length - shown.length} more`] : [];
  return [`${title}:`, ...shown, ...more, "", `\`${use}\` chooses one for this conversation.`].join("\n");
}
