/** One statement with its values, `?1`, `?2`, … */
export type Statement = readonly [sql: string, ...values: (string | number | null)[]];

/** The database of the index: all statements or none. */
export interface IndexDb {
  batch(statements: readonly Statement[]): Promise<void>;
}
