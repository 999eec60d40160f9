import type { LanguageModelV4Message, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { JsonObject } from "../../core/log/json.ts";
import { toJson } from "../../core/log/json.ts";
import { isAt, isObject, objectAt, objectsAt, parseJson, textAt } from "./reading.ts";

/** Working memory as the model reads it: from the situation block, and from what its own first reply of a run kept. */

/** A thing of working memory, as the situation block lists it. */
export interface MemoryEntry {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly parent: { readonly type: string; readonly id: string } | null;
  readonly focus: boolean;
}

const KEPT_BY = "rehearsal";

/**
 * The situation block shows what is so now; "it" and "that page" were said before the run changed anything. So the first
 * reply of a run carries the memory that it was decided by, as other providers let theirs carry signatures.
 */
export function keepMemory(memory: readonly MemoryEntry[]): SharedV4ProviderMetadata {
  const kept = memory.filter((entry) => entry.focus || entry.type === "page" || entry.type === "section");
  return {
    [KEPT_BY]: {
      memory: kept.map((entry) => ({ ...entry, parent: entry.parent === null ? null : { ...entry.parent } })),
    },
  };
}
/** What the first reply of this run kept; null when there is none yet. */
export function readKept(run: readonly LanguageModelV4Message[]): MemoryEntry[] | null {
  for (const message of run) {
    if (message.role !== "assistant") continue;
    for (const { providerOptions } of message.content) {
      const kept = toJson(providerOptions?.[KEPT_BY]);
      if (isObject(kept) && kept["memory"] !== undefined) return objectsAt(kept, "memory").flatMap(readEntry);
    }
  }
  return null;
}

function readEntry(value: JsonObject): MemoryEntry[] {
  const [type, id, name] = ["type", "id", "name"].map((key) => textAt(value, key));
  const above = objectAt(value, "parent");
  const [of, parent] = [textAt(above, "type"), textAt(above, "id")];
  if (type == null || id == null || name == null) return [];
  return [
    {
      ...{ type, id, name, slug: textAt(value, "slug"), focus: isAt(value, "focus") },
      parent: of === null || parent === null ? null : { type: of, id: parent },
    },
  ];
}

const MEMORY_LINE = /^\s*- (\w+) (\S+) "(.*)"((?: [^"]*)?)$/u;

/** The memory that the prompt shows now. */
export function readMemory(messages: readonly LanguageModelV4Message[]): MemoryEntry[] {
  const last = messages.findLast((message) => message.role === "user");
  if (last?.role !== "user") return [];
  const text = last.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const block = /<cairn-situation\b[^>]*>([\s\S]*?)<\/cairn-situation>/u.exec(text)?.[1] ?? "";
  return block.split("\n").flatMap((line): MemoryEntry[] => {
    const found = MEMORY_LINE.exec(line);
    if (found === null) return [];
    const [, type = "", id = "", name = "", rest = ""] = found;
    const parent = / of (\w+) (\S+)/u.exec(rest);
    return [
      {
        type,
        id,
        name: readName(name),
        slug: / slug=(\S+)/u.exec(rest)?.[1] ?? null,
        parent: parent === null ? null : { type: parent[1] ?? "", id: parent[2] ?? "" },
        focus: /(?:^| )focus\b/u.test(rest),
      },
    ];
  });
}

/** The name as it stands in the line: JSON without its outer quotes. */
function readName(text: string): string {
  const value = parseJson(`"${text}"`);
  return typeof value === "string" ? value : text;
}
