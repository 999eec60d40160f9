import type { Json } from "../../core/log/json.ts";

export type ScriptedCall = readonly [tool: string, input: Json];

/** One reply of a model that follows a script: a thought, a text, and calls to make together. */
export interface ScriptedReply {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
}

/** The next reply of a scripted model to a conversation. */
export interface NextReply extends ScriptedReply {
  /** milliseconds to wait before the reply */
  readonly waitMs?: number;
  /** the model's own memory: later replies of this run read it as `Conversation.note` */
  readonly note?: string;
}
