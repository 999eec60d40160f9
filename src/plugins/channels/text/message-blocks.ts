import { loadMessageMarkdown } from "../../../../build/modules/message-markdown.ts";
import type { Outgoing } from "../channel.ts";
import type { Block } from "./blocks.ts";

/** The blocks of a message: its own, or those of its Markdown, whose parser is loaded with the first such message. */
export const blocksOfMessage = async ({
  text,
  blocks,
}: Pick<Outgoing, "text" | "blocks">): Promise<readonly Block[]> =>
  blocks ?? (await loadMessageMarkdown()).parseBlocks(text);
