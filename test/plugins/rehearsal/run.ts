import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { readConversation } from "../../../src/cairn/models/script/conversation.ts";
import type { NextReply } from "../../../src/cairn/models/script/reply.ts";
import { replyTo } from "../../../src/plugins/rehearsal/reply.ts";
import type { FakeSite } from "./site.ts";
import { TOOL_NAMES } from "./site.ts";

export interface Played {
  readonly calls: readonly { readonly name: string; readonly input: JsonObject; readonly ok: boolean }[];
  readonly thoughts: readonly string[];
  readonly text: string;
  readonly prompt: readonly LanguageModelV4Message[];
}

export interface Setting {
  readonly earlier?: readonly (readonly ["user" | "assistant", string])[];
  /** lines of the memory block, the same at every step or by its number */
  readonly memory?: readonly string[] | ((step: number) => readonly string[]);
  readonly tools?: readonly string[];
  /** steps after which no tools are offered */
  readonly stepsMax?: number;
}

const STEPS_MAX = 20;

export function userMessage(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function situation(memory: readonly string[] = [], step = 1): LanguageModelV4Message {
  return userMessage(
    `<cairn-situation>\ndate: 2026-11-21T10:00:00.000Z\nmemory:\n${memory.join("\n")}\nbudget: step ${step} of 15 · calls 0 of 60 · tokens 3% · time 0 of 30 min\n</cairn-situation>`,
  );
}

export function offer(names: readonly string[]): NonNullable<LanguageModelV4CallOptions["tools"]> {
  return names.map((name) => ({ type: "function", name, inputSchema: { type: "object" } }));
}

/** Plays a run against a site, as the runtime would: one reply, its calls, their results, the next reply. */
export function play(site: FakeSite, message: string, setting: Setting = {}): Played {
  const transcript: LanguageModelV4Message[] = [
    { role: "system", content: "You are Cairn. Create a page called Nonsense." },
    ...(setting.earlier ?? []).map(([role, text]): LanguageModelV4Message =>
      role === "user" ? userMessage(text) : { role, content: [{ type: "text", text }] },
    ),
    userMessage(message),
  ];
  const calls: { name: string; input: JsonObject; ok: boolean }[] = [];
  const thoughts: string[] = [];
  for (let step = 1; step <= STEPS_MAX; step += 1) {
    const final = step > (setting.stepsMax ?? STEPS_MAX);
    const prompt = [
      ...transcript,
      ...(final ? [userMessage("<cairn-note>Answer now, without tools.</cairn-note>")] : []),
      situation(typeof setting.memory === "function" ? setting.memory(step) : setting.memory, step),
    ];
    const options = { prompt, tools: final ? [] : offer(setting.tools ?? TOOL_NAMES) };
    const { calls: planned = [], thought = "", text = "", note } = replyTwice(options);
    if (planned.length === 0) return { calls, thoughts, text, prompt };
    thoughts.push(thought);
    const ids = planned.map((_, index) => `c${step}_${index}`);
    transcript.push({
      role: "assistant",
      content: planned.map(([toolName, input], index) => ({
        type: "tool-call",
        toolCallId: ids[index] ?? "",
        toolName,
        input,
        ...(index === 0 && note !== undefined ? { providerOptions: { script: { note } } } : {}),
      })),
    });
    transcript.push({
      role: "tool",
      content: planned.map(([name, given], index) => {
        const input = given as JsonObject;
        const value = site.answer(name, input);
        calls.push({ name, input, ok: value.startsWith('{"ok":true') });
        return {
          type: "tool-result",
          toolCallId: ids[index] ?? "",
          toolName: name,
          output: { type: "text", value },
        };
      }),
    });
  }
  throw new Error(`no answer after ${STEPS_MAX} steps: ${calls.map((call) => call.name).join(", ")}`);
}

/** A crash repeats a reply; it must be the same reply. */
function replyTwice(options: Pick<LanguageModelV4CallOptions, "prompt" | "tools">): NextReply {
  const first = replyTo(readConversation(options));
  const again = replyTo(readConversation(structuredClone(options)));
  if (JSON.stringify(first) !== JSON.stringify(again))
    throw new Error("the same conversation got two different replies");
  return first;
}

/** Calls in short: the tool and what matters of its input, such as `set_status published pg_1`. */
export function inShort(played: Played): string[] {
  return played.calls.map(({ name, input }) => {
    const details = shortInput(name, input);
    return details === "" ? name : `${name} ${details}`;
  });
}

function shortInput(name: string, input: JsonObject): string {
  const list = (key: string): JsonObject[] => (Array.isArray(input[key]) ? (input[key] as JsonObject[]) : []);
  switch (name) {
    case "page_create":
      return [
        String(input["name"]),
        input["slug"],
        list("sections")
          .map((section) => String(section["template"]))
          .join("+"),
      ]
        .filter((part) => part !== undefined && part !== "")
        .map(String)
        .join(" | ");
    case "set_status":
      return `${String(input["to"])} ${list("targets")
        .map((target) => String(target["ref"]))
        .join(",")}`;
    case "nav_edit":
      return list("ops")
        .map((op) =>
          [op["op"], op["location"], op["item"], op["label"], op["target"]]
            .filter((part) => part !== undefined)
            .map(String)
            .join(" "),
        )
        .join("; ");
    case "site_overview":
      return "";
    case "page_get":
      return String(input["page"]);
    case "section_add":
      return `${String(input["page"])} ${String(input["template"])}`;
    default:
      return Object.values(input)
        .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
        .join(" ");
  }
}
