import { markedStretches } from "../../../cairn/core/guards/review/citations.ts";

interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  children?: unknown[];
}

/** In code a mark is code, and a link has no button inside. */
const CLOSED: ReadonlySet<string> = new Set(["code", "pre", "a"]);

/** Makes a `cite` element of each mark such as `[e12]`. Its source is looked up when it is drawn. */
export function findMarks(node: { children?: unknown[] }): void {
  node.children = (node.children as Node[] | undefined)?.flatMap((child): Node[] => {
    if (child.type === "text") return withMarks(child);
    if (!CLOSED.has(child.tagName ?? "")) findMarks(child);
    return [child];
  });
}

function withMarks(text: Node): Node[] {
  const found = markedStretches(text.value ?? "");
  if (found.every(({ ids }) => ids.length === 0)) return [text];
  return found.map(({ text: value, ids }) => {
    const text = { type: "text", value };
    if (ids.length === 0) return text;
    return { type: "element", tagName: "cite", properties: {}, children: [text] } as Node;
  });
}
