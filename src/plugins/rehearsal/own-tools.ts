import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { toJson, type Json } from "../../cairn/core/log/json.ts";
import { isReserved } from "../../cairn/core/log/names.ts";
import { listAt, objectAt, textAt } from "../../cairn/models/script/fields.ts";
import type { ScriptedCall } from "../../cairn/models/script/reply.ts";
import { OWN_HELP_BEGINS } from "./answer-words.ts";

/** A tool of the project: neither built in nor from a plugin of Cairn. */
export interface OwnTool {
  readonly name: string;
  /** the one required field, where it is a text; null for every other schema */
  readonly field: string | null;
}

/** Tools that every session has next to the built-in ones. */
const OF_KERNEL = /^(?:schedule_\w+|start_time_capsule|run_agent|agent_\w+|send_message|mcp_\w+)$/;

/** The project's own tools; null in a project with a site, whose requests are about the site. */
export function ownToolsIn(tools: readonly LanguageModelV4FunctionTool[]): readonly OwnTool[] | null {
  if (tools.some(({ name }) => name === "site_overview")) return null;
  return tools
    .filter(({ name }) => !isReserved(name) && !OF_KERNEL.test(name))
    .map(({ name, inputSchema }) => ({ name, field: requiredText(toJson(inputSchema)) }));
}

function requiredText(schema: Json): string | null {
  const [field, ...others] = listAt(schema, "required");
  if (typeof field !== "string" || others.length > 0) return null;
  const type = textAt(objectAt(objectAt(schema, "properties") ?? undefined, field) ?? undefined, "type");
  return type === "string" ? field : null;
}

const REQUEST_CHARS_MAX = 1_000;

/** `Print a label for Ada, Hill Road 1.` → print_label with its one text; null where no tool is named. */
export function parseOwnCall(tools: readonly OwnTool[], message: string): ScriptedCall | null {
  const request = message.trim();
  if (request.length > REQUEST_CHARS_MAX) return null;
  for (const { name, field } of tools) {
    if (field === null) continue;
    const words = name.split("_").map((word) => `(?:(?:an?|the|my|our)\\s+)?${word}`);
    const form = `^(?:please\\s+)?${words.join("\\s+")}(?:\\s+(?:for|to|of|about|named|called)\\s+|:\\s*)(.+)$`;
    const [, text = ""] = new RegExp(form, "isu").exec(request) ?? [];
    const value = text.replace(/[.!]$/u, "").trim();
    if (value !== "") return [name, { [field]: value }];
  }
  return null;
}

/** Names the tools, with a sentence that calls each. */
export function ownHelp(tools: readonly OwnTool[], ending: string): string {
  const lines = tools.map(({ name, field }) => {
    const [first = "", ...rest] = name.split("_");
    const words = [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
    return field === null ? `- \`/call ${name} {…}\`` : `- "${words}: …", which is its ${field}`;
  });
  // A blank line ends the list.
  return [`${OWN_HELP_BEGINS} Say one of these:`, ...lines, "", ending].join("\n");
}
