/** One field as people read about it, in the OpenAPI document and in a table of docs. */
export interface FieldDoc {
  readonly meaning: string;
  /** value where the field is left out; null where it cannot be */
  readonly unset: string | null;
  /** page and heading of docs with more about it, such as `agents.md#presets` */
  readonly see?: string;
}

/** Descriptions by field for the OpenAPI document: `Class of every run. Default: by message.` */
export const fieldDescriptions = (docs: { readonly [field: string]: FieldDoc }): Record<string, string> =>
  Object.fromEntries(
    Object.entries(docs).map(([name, { meaning, unset }]) => [
      name,
      unset === null ? `${meaning}.` : `${meaning}. Default: ${unset}.`,
    ]),
  );
