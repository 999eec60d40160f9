import type { Conversation } from "./conversation.ts";
import type { NextReply } from "./reply.ts";
import { parseScript, SCRIPT_LINE_PROBLEM, type Script } from "./script.ts";

/**
 * The next reply where the person's message is a script; null where it is none. `sign` marks a text that is not the
 * person's own.
 */
export function playScript(conversation: Conversation, sign: (text: string) => string): NextReply | null {
  const script = parseScript(conversation.message);
  if (script === null) return null;
  const block = script.blocks[conversation.steps];
  if (block !== undefined && conversation.tools.size > 0) {
    const thought = `I will perform block ${conversation.steps + 1} of ${script.blocks.length} of the script.`;
    return { thought, calls: block.calls, waitMs: block.waitMs };
  }
  const problems = script.problems.map((problem) => `${SCRIPT_LINE_PROBLEM}: ${problem}.`);
  const end = script.say ?? (problems.length > 0 ? "" : summary(script, conversation));
  const text = [...problems, end].filter((part) => part !== "").join("\n");
  const isOwn = script.say === null || problems.length > 0;
  return { text: isOwn ? sign(text) : text, waitMs: block === undefined ? script.answerWaitMs : 0 };
}

function summary(script: Script, { calls, steps }: Conversation): string {
  const results = calls.map(({ name, outcome }) => {
    if (outcome === null) return `${name}: no result`;
    return `${name}: ${outcome.ok ? "ok" : `not done (${outcome.error.code})`}`;
  });
  const left = script.blocks.length - steps;
  const open = left > 0 ? ` ${left} of its ${script.blocks.length} blocks could not be performed.` : "";
  if (results.length === 0) return `The script called nothing.${open}`;
  return `The script is at its end.${open} ${results.join("; ")}.`;
}
