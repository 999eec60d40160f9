import type { Definition, List, Nodes, PhrasingContent, Root, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { isParsableMarkdown } from "../../../cairn/core/text/markdown-bounds.ts";
import {
  plainBlock,
  plainRun,
  safeUrl,
  textBlock,
  textOfBlock,
  type Block,
  type Mark,
  type Run,
} from "./blocks.ts";

/** Reads Markdown as blocks. Loaded on demand (message-blocks.ts): the parser is larger than all of the channels' text. */

/** CommonMark with GitHub's extensions; a text that would cost too much to parse, as its paragraphs. Never empty. */
export function parseBlocks(source: string): readonly Block[] {
  const text = cleaned(source);
  const blocks = isParsableMarkdown(text)
    ? new Reader(fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })).read()
    : text.split(/\n{2,}/).map((paragraph) => plainBlock(paragraph.trim()));
  const shown = blocks.filter((block) => textOfBlock(block).trim() !== "");
  return shown.length > 0 ? shown : [plainBlock(text.trim() === "" ? "…" : text.trim())];
}

/** Without what no vendor takes: control characters, and halves of a character. */
function cleaned(source: string): string {
  return source
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(/\p{Cs}/gu, "\ufffd");
}

const INDENT = "  ";

/** The context of a block. */
interface BlockContext {
  readonly isQuote: boolean;
  readonly depth: number;
}

class Reader {
  readonly #root: Root;
  readonly #definitions = new Map<string, Definition>();
  readonly #blocks: Block[] = [];

  constructor(root: Root) {
    this.#root = root;
  }

  read(): readonly Block[] {
    this.#collect(this.#root);
    for (const child of this.#root.children) this.#add(child, { isQuote: false, depth: 0 });
    return this.#blocks;
  }

  /** The first of two definitions with one name counts, as in CommonMark. */
  #collect(node: Nodes): void {
    if (node.type === "definition" && !this.#definitions.has(node.identifier))
      this.#definitions.set(node.identifier, node);
    if ("children" in node) for (const child of node.children) this.#collect(child);
  }

  #add(node: RootContent, context: BlockContext): void {
    switch (node.type) {
      case "paragraph":
        this.#text(this.#runsOf(node.children), context);
        return;
      case "heading":
        this.#text(this.#runsOf(node.children, ["bold"]), context);
        return;
      case "thematicBreak":
        this.#text([plainRun("———")], context);
        return;
      case "blockquote":
        for (const child of node.children) this.#add(child, { ...context, isQuote: true });
        return;
      case "list":
        this.#list(node, context);
        return;
      case "code":
        this.#blocks.push({ kind: "code", text: node.value, language: node.lang ?? null });
        return;
      case "table":
        this.#table(node, context);
        return;
      case "html":
        this.#text([plainRun(node.value)], context);
        return;
      case "footnoteDefinition": {
        const [first, ...more] = node.children;
        const name = plainRun(`[${node.label ?? node.identifier}] `);
        if (first?.type === "paragraph") this.#text([name, ...this.#runsOf(first.children)], context);
        for (const child of first?.type === "paragraph" ? more : node.children) this.#add(child, context);
        return;
      }
      default:
        return;
    }
  }

  #text(runs: readonly Run[], { isQuote, depth }: BlockContext, tight = false): void {
    const indent = INDENT.repeat(depth);
    this.#blocks.push(textBlock(depth === 0 ? runs : [plainRun(indent), ...runs], isQuote, tight));
  }

  #list(list: List, { isQuote, depth }: BlockContext): void {
    for (const [at, item] of list.children.entries()) {
      const number = list.ordered === true ? `${(list.start ?? 1) + at}. ` : "• ";
      const task = typeof item.checked === "boolean" ? (item.checked ? "☑ " : "☐ ") : "";
      const tight = at > 0 || depth > 0;
      const [first, ...more] = item.children;
      const lead = plainRun(number + task);
      if (first?.type === "paragraph")
        this.#text([lead, ...this.#runsOf(first.children)], { isQuote, depth }, tight);
      else this.#text([lead], { isQuote, depth }, tight);
      for (const child of first?.type === "paragraph" ? more : item.children)
        this.#add(child, { isQuote, depth: depth + 1 });
    }
  }

  #table(table: Table, context: BlockContext): void {
    for (const [at, row] of table.children.entries()) {
      const cells = row.children.map((cell) => this.#runsOf(cell.children, at === 0 ? ["bold"] : []));
      const runs = cells.flatMap((cell, column) => (column === 0 ? cell : [plainRun(" | "), ...cell]));
      this.#text(runs, context, at > 0);
    }
  }

  #runsOf(
    nodes: readonly PhrasingContent[],
    marks: readonly Mark[] = [],
    url: string | null = null,
  ): readonly Run[] {
    const runs: Run[] = [];
    let underlined = false;
    for (const node of nodes) {
      const own = underlined ? [...marks, "underline" as const] : marks;
      if (node.type === "html" && /^<\/?u>$/i.test(node.value)) underlined = !node.value.startsWith("</");
      else runs.push(...this.#runs(node, own, url));
    }
    return runs;
  }

  #runs(node: PhrasingContent, marks: readonly Mark[], url: string | null): readonly Run[] {
    const withMark = (mark: Mark): readonly Mark[] => (marks.includes(mark) ? marks : [...marks, mark]);
    switch (node.type) {
      case "text":
        return [{ text: node.value, marks, url }];
      case "html":
        return [{ text: /^<br\s*\/?>$/i.test(node.value) ? "\n" : node.value, marks, url }];
      case "break":
        return [{ text: "\n", marks, url }];
      case "inlineCode":
        return [{ text: node.value, marks: withMark("code"), url }];
      case "strong":
        return this.#runsOf(node.children, withMark("bold"), url);
      case "emphasis":
        return this.#runsOf(node.children, withMark("italic"), url);
      case "delete":
        return this.#runsOf(node.children, withMark("strike"), url);
      case "link":
        return this.#link(node.url, this.#runsOf(node.children, marks), marks, url);
      case "linkReference": {
        const target = this.#definitions.get(node.identifier)?.url ?? "";
        return this.#link(target, this.#runsOf(node.children, marks), marks, url);
      }
      case "image":
        return this.#link(node.url, [{ text: node.alt ?? "", marks, url }], marks, url);
      case "imageReference": {
        const target = this.#definitions.get(node.identifier)?.url ?? "";
        return this.#link(target, [{ text: node.alt ?? "", marks, url }], marks, url);
      }
      case "footnoteReference":
        return [{ text: `[${node.label ?? node.identifier}]`, marks, url }];
      default:
        return [];
    }
  }

  /** A link to where no chat leads is shown as its words and its target. */
  #link(target: string, runs: readonly Run[], marks: readonly Mark[], outer: string | null): readonly Run[] {
    const words = runs.map((run) => run.text).join("");
    const url = outer ?? safeUrl(target);
    if (url !== null)
      return words.trim() === "" ? [{ text: target, marks, url }] : runs.map((run) => ({ ...run, url }));
    if (words.trim() === "") return [{ text: target, marks, url }];
    return target === "" || target === words ? runs : [...runs, { text: ` (${target})`, marks, url }];
  }
}
