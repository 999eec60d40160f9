import { CHARS_PER_TOKEN } from "../limits.ts";
import { sha256Hex } from "../log/digest.ts";
import type { PromptMessage } from "../log/model.ts";

/** Characters of a request, for the trace, and the digest of its text: two prompts differ by it without being stored. */
export function measurePrompt(
  instructions: string,
  messages: readonly PromptMessage[],
): { readonly promptChars: number; readonly promptDigest: string } {
  const text = JSON.stringify(messages);
  const promptDigest = `sha256:${sha256Hex(`[${JSON.stringify(instructions)},${text}]`)}`;
  return { promptChars: instructions.length + text.length, promptDigest };
}

export function estimateTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
