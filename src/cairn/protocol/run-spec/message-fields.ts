import { FIELD_NAMES, RUN_REQUEST, type FieldName } from "./shape.ts";

/**
 * The fields of a run specification that a message may carry for the run that it begins. The others are the message itself:
 * its words, its files, its session, and the place that its answer goes to.
 */

const OF_THE_MESSAGE = ["session_id", "objective", "input", "files", "channel"] as const;

type MessageField = Exclude<FieldName, (typeof OF_THE_MESSAGE)[number]>;

const {
  session_id: _session,
  objective: _objective,
  input: _input,
  files: _files,
  channel: _channel,
  ...shape
} = RUN_REQUEST.shape;

/** zod shapes by field, for schemas and for the OpenAPI document */
export const MESSAGE_FIELDS: Pick<typeof RUN_REQUEST.shape, MessageField> = shape;

export const MESSAGE_FIELD_NAMES: readonly string[] = FIELD_NAMES.filter(
  (name) => !(OF_THE_MESSAGE as readonly string[]).includes(name),
);

export interface SplitMessage {
  /** everything else, for the schema of the message to accept or refuse */
  readonly own: unknown;
  /** fields of a run, as they came */
  readonly fields: { readonly [name: string]: unknown };
}

/** Separates the fields of a run from a body. A body that is no object has none. `leave`: names that the caller reads itself. */
export function splitMessage(body: unknown, leave: readonly string[] = []): SplitMessage {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return { own: body, fields: {} };
  const isField = (name: string): boolean => MESSAGE_FIELD_NAMES.includes(name) && !leave.includes(name);
  const entries = Object.entries(body);
  return {
    own: Object.fromEntries(entries.filter(([name]) => !isField(name))),
    fields: Object.fromEntries(entries.filter(([name]) => isField(name))),
  };
}
