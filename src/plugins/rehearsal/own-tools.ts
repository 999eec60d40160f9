import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { toJson, type Json } from "../../cairn/core/log/json.ts";
import { isReserved } from "../../cairn/core/log/names.ts";
import { OWN_HELP_BEGINS } from "./answer-words.ts";
import { listAt, objectAt, textAt } from "../../cairn/models/script/fields.ts";
import type { PastCall } from "../../cairn/models/script/conversation.ts";

/** A tool that no plugin of Cairn brings. */
export interface OwnTool {
  readonly name: string;
  /** of the one text that it needs; null where it needs something else */
  readonly field: string | null;
}

/** Tools that every session has next to the built-in ones. */
const OF_KERNEL = /^(?:schedule_\w+|start_time_capsule|run_agent|agent_\w+|send_message|mcp_\w+)$/;

/** The tools that a project without a site has of its own. */
export function ownToolsIn(tools: readonly LanguageModelV4FunctionTool[]): readonly OwnTool[] {
  return tools
    .filter(({ name }) => !isReserved(name) && !OF_KERNEL.test(name))
    .map(({ name, inputSchema }) => ({ name, field: neededText(toJson(inputSchema)) }));
}

/** The one field that the schema requires, where it is a text. */
function neededText(schema: Json): string | null {
  const [field, ...others] = listAt(schema, "required");
  if (typeof field !== "string" || others.length > 0) return null;
  const type = textAt(objectAt(objectAt(schema, "properties") ?? undefined, field) ?? undefined, "type");
  return type === "string" ? field : null;
}

/** Characters of a wish that begins with the name of a tool. */
const WISH_CHARS_MAX = 1_000;

/** `Print a label for Ada, Hill Road 1.` → print_label, with its one text; null where the words name no such tool. */
export function ownCall(tools: readonly OwnTool[], message: string): Pick<PastCall, "name" | "input"> | null {
  const said = message.trim();
  if (said.length > WISH_CHARS_MAX) return null;
  for (const { name, field } of tools) {
    if (field === null) continue;
    const words = name.split("_").map((word) => `(?:(?:an?|the|my|our)\\s+)?${word}`);
    const [, text = ""] =
      new RegExp(
        `^(?:please\\s+)?${words.join("\\s+")}(?:\\s+(?:for|to|of|about|named|called)\\s+|:\\s*)(.+)$`,
        "isu",
      ).exec(said) ?? [];
    const value = text.replace(/[.!]$/u, "").trim();
    if (value !== "") return { name, input: { [field]: value } };
  }
  return null;
}

/** Says which tools there are, and how to have them called. */
export function ownHelp(tools: readonly OwnTool[], reals: string): string {
  const lines = tools.map(({ name, field }) => {
    const [first = "", ...rest] = name.split("_");
    const words = [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
    return field === null ? `- \`/call ${name} {…}\`` : `- "${words}: …", which is its ${field}`;
  });
  // A blank line ends the list.
  return [`${OWN_HELP_BEGINS} Say one of these:`, ...lines, "", reals].join("\n");
}
