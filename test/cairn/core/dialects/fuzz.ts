import type { Dialect } from "../../../../src/cairn/core/log/model.ts";
import { Chance } from "../../../sim/platform/chance.ts";
import { CORPUS } from "./corpus.ts";

/** Replies that nobody would write: those of the corpus, cut, joined and garbled. The same seed gives the same reply. */

const PIECES = [
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "<answer>",
  "</answer>",
  "<tool_response>",
  '{"action":"',
  '"action_input":',
  '{"name":"drop_all","arguments":{}}',
  "FINAL_ANSWER: ",
  "Observation:",
  "```",
  "\n",
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "\\u",
  "/*",
  "#",
  "__proto__",
  "\ud83c",
  "\u0000",
] as const;
const DIALECTS = ["native", "json", "tags"] as const;

export interface Fuzzed {
  readonly dialect: Dialect;
  readonly pieces: readonly string[];
}

export function fuzzedReply(seed: number): Fuzzed {
  const chance = new Chance(seed);
  const anyReply = (): string => CORPUS[chance.below(CORPUS.length)]?.reply ?? "";
  let text = anyReply();
  for (let times = 1 + chance.below(6); times > 0; times -= 1) {
    const at = chance.below(text.length + 1);
    const to = Math.min(text.length, at + chance.below(20));
    const piece = PIECES[chance.below(PIECES.length)] ?? "";
    switch (chance.below(6)) {
      case 0:
        text = text.slice(0, at) + piece + text.slice(at);
        break;
      case 1:
        text = text.slice(0, at) + text.slice(to);
        break;
      case 2:
        text = text.slice(0, at) + anyReply() + text.slice(at);
        break;
      case 3:
        text = text.slice(0, at);
        break;
      case 4:
        text = text.slice(0, to) + text.slice(at, to) + text.slice(to);
        break;
      default:
        text = text.replace(/web_search|page_list|page_get/u, piece);
    }
  }
  const pieces: string[] = [];
  while (text !== "") {
    const length = 1 + chance.below(30);
    pieces.push(text.slice(0, length));
    text = text.slice(length);
  }
  return { dialect: DIALECTS[chance.below(DIALECTS.length)] ?? "native", pieces };
}
