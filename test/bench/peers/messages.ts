import type { UIMessage } from "ai";
import { scriptText, type Script } from "../worker/script.ts";
import { seededRole, seededText } from "../worker/words.ts";

export function scriptMessage(script: Script): UIMessage {
  return { id: script.key, role: "user", parts: [{ type: "text", text: scriptText(script) }] };
}

/** A history of short messages; ids are new in each call. */
export function seededMessages(count: number): UIMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    id: crypto.randomUUID(),
    role: seededRole(index),
    parts: [{ type: "text", text: seededText(index) }],
  }));
}
