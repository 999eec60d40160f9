/** The files of `prompts/cairn/notes`: notes of the runtime to the model within a conversation. */
export type NoteName =
  | "answer-first"
  | "answer-now"
  | "approaches"
  | "attempt"
  | "final-answer-line"
  | "heartbeat"
  | "nudge-hard"
  | "nudge-soft"
  | "plan-alone"
  | "plan-wanted"
  | "replan"
  | "reply-json"
  | "reply-tags"
  | "stop-here"
  | "synthesis";

/** The words of a note, with a value for each of its places. The session hands it in: the core imports no file of text. */
export type NoteText = (name: NoteName, values?: Readonly<Record<string, string | number>>) => string;
