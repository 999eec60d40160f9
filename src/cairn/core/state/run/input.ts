import type { Entry } from "../../log/entry.ts";

/** Messages of people in a run, by seq. */
export interface Input {
  readonly all: readonly number[];
  /** those that no model call has read */
  readonly unread: readonly number[];
}

export function changeInput(input: Input, entry: Entry): Input {
  switch (entry.kind) {
    case "user_message": {
      const all = [...input.all, entry.seq];
      // An answer is read as the result of the call that asked.
      return entry.body.mode === "answer" ? { ...input, all } : { all, unread: [...input.unread, entry.seq] };
    }
    case "model_replied": {
      const unread = input.unread.filter((seq) => seq > entry.body.readTo);
      return unread.length === input.unread.length ? input : { ...input, unread };
    }
    default:
      return input;
  }
}
