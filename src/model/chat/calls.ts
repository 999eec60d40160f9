import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { Json } from "../../core/json.ts";
import { UnreadableAnswerError } from "../evidence.ts";
import { numberAt, objectAt, textAt } from "../reading.ts";

/**
 * The calls of one reply, gathered from their pieces. A piece says to which call it belongs by an index, an id, both or
 * neither, and servers repeat each of them; what always holds: no piece is lost, and calls stand in the order in which they began.
 */

interface Call {
  readonly index: number | null;
  id: string | null;
  name: string;
  text: string;
  signature: string | null;
}

export interface CallTape {
  /** takes one element of `tool_calls`; returns what it added to the arguments of which call, or null for nothing */
  take(piece: Json): { readonly id: string; readonly delta: string } | null;
  /** Throws UnreadableAnswerError when one has no name. */
  calls(): LanguageModelV4ToolCall[];
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function createCallTape(): CallTape {
  const calls: Call[] = [];

  /** The call that a piece goes on with, or null when it begins one. */
  const findCall = (
    index: number | null,
    id: string | null,
    name: string | null,
    text: string,
  ): Call | null => {
    const known =
      calls.findLast((call) =>
        index !== null ? call.index === index : id !== null ? call.id === id : name === null,
      ) ?? null;
    if (known === null || name === null || known.name === "") return known;
    // A name may be repeated with each piece; another call under a used index has another id, another name, or
    // begins arguments where those of the call before are whole.
    const another =
      (id !== null && known.id !== null && id !== known.id) ||
      name !== known.name ||
      (isWhole(known.text) && text.trimStart().startsWith("{"));
    return another ? null : known;
  };

  return {
    take(piece) {
      const described = objectAt(piece, "function") ?? piece;
      const id = textAt(piece, "id");
      const name = textAt(described, "name");
      const given = argumentsOf(described);
      if (id === null && name === null && given === "") return null;
      const index = numberAt(piece, "index");
      let call = findCall(index, id, name, given);
      if (call === null) {
        call = { index, id, name: "", text: "", signature: null };
        calls.push(call);
      }
      call.id ??= id;
      call.name = name ?? call.name;
      call.text += given;
      const { google } = objectAt(piece, "extra_content") ?? {};
      call.signature ??= textAt(google, "thought_signature");
      return { id: String(calls.indexOf(call)), delta: given };
    },
    calls: () =>
      calls.map(({ name, text, signature }, at) => {
        if (name === "") throw new UnreadableAnswerError();
        return {
          type: "tool-call",
          toolCallId: String(at),
          toolName: name,
          input: text,
          ...(signature === null
            ? {}
            : { providerMetadata: { compatible: { thoughtSignature: signature } } }),
        };
      }),
  };
}

/** Arguments as text; models of Workers AI that answer whole give them as an object. */
function argumentsOf(described: Json): string {
  const given = objectAt(described, "arguments");
  return given === null ? (textAt(described, "arguments") ?? "") : JSON.stringify(given);
}
