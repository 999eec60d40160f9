import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import * as script from "../../cairn/models/script/conversation.ts";
import { ownToolsIn, type OwnTool } from "./own-tools.ts";
import { parseJson, textAt } from "../../cairn/models/script/fields.ts";
export type { Failure, Outcome } from "../../cairn/models/script/conversation.ts";

/** Everything that the rules look at. The same conversation always gives the same decision. */
export interface Conversation extends script.Conversation {
  /** working memory as it was when this run began, as the prompt lists it, and read */
  readonly memoryLines: string;
  readonly memory: readonly MemoryEntry[];
  /** the day that the prompt tells, `2026-11-21`; null where it tells none */
  readonly today: string | null;
  /** tools of a project without a site; null where there is one */
  readonly own: readonly OwnTool[] | null;
}

/** Reads a prompt of the AI SDK. Never fails: what it cannot read, it leaves out. */
export const readConversation = (
  options: Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">,
): Conversation => readRehearsal(script.readConversation(options));

export function readRehearsal(conversation: script.Conversation): Conversation {
  const { situation, offered } = conversation;
  // "It" and "that page" were said before the run changed anything, so the first reply carries the memory along.
  const memoryLines = conversation.note ?? shownLines(situation);
  return {
    ...conversation,
    memoryLines,
    memory: readMemory(memoryLines),
    today: todayOf(situation),
    own: offered.some(({ name }) => name === "site_overview") ? null : ownToolsIn(offered),
  };
}

/** A thing of working memory, as the situation block lists it. */
export interface MemoryEntry {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly parent: { readonly type: string; readonly id: string } | null;
  readonly focus: boolean;
}

const MEMORY_LINE = /^\s*- (\w+) (\S+) "(.*)"((?: [^"]*)?)$/u;

/** The lines of memory that the prompt shows now. */
function shownLines(situation: string): string {
  return situation
    .split("\n")
    .filter((line) => MEMORY_LINE.test(line))
    .join("\n");
}

function readMemory(block: string): MemoryEntry[] {
  return block.split("\n").flatMap((line): MemoryEntry[] => {
    const found = MEMORY_LINE.exec(line);
    if (found === null) return [];
    const [, type = "", id = "", name = "", rest = ""] = found;
    const parent = / of (\w+) (\S+)/u.exec(rest);
    return [
      {
        type,
        id,
        // as it stands in the line: JSON without its outer quotes
        name: textAt({ name: parseJson(`"${name}"`) }, "name") ?? name,
        slug: / slug=(\S+)/u.exec(rest)?.[1] ?? null,
        parent: parent === null ? null : { type: parent[1] ?? "", id: parent[2] ?? "" },
        focus: /(?:^| )focus\b/u.test(rest),
      },
    ];
  });
}

export interface ListedPages {
  /** in their order */
  readonly slugs: readonly string[];
  /** the list was in the very last answer */
  readonly fresh: boolean;
}

/** A line of the list of pages (tell.ts). */
const PAGE_LINE = /^- "(.+)" \(([^()\s]+)\), (?:published|draft|unpublished|status unknown)/u;

/** The newest list of pages among our answers, or null. */
export function listedPages(earlier: Conversation["earlier"]): ListedPages | null {
  const answers = earlier.filter((one) => one.role === "assistant").reverse();
  for (const [age, { text }] of answers.entries()) {
    const slugs = text.split("\n").flatMap((line) => PAGE_LINE.exec(line)?.[2] ?? []);
    if (slugs.length > 0) return { slugs, fresh: age === 0 };
  }
  return null;
}

/** The day of the question: by the person's clock, where that is known. */
const todayOf = (situation: string): string | null =>
  (/^local: (\d{4}-\d\d-\d\d)/mu.exec(situation) ?? /^date: (\d{4}-\d\d-\d\d)T/mu.exec(situation))?.[1] ??
  null;
