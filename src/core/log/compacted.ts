/** The middle of a run, summed up once and used by every later request (guards 10.5). */
export interface Compacted {
  /** the rows that are shown as the summary, both ends included; 0 and 0 when only observations were shortened */
  readonly from: number;
  readonly to: number;
  readonly summary: string;
  /** seqs between the two that are shown as they are */
  readonly kept: readonly number[];
  /** characters that an observation before this row may show; null: as it was stored */
  readonly observationChars: number | null;
  /** tokens of the request, estimated */
  readonly before: number;
  readonly after: number;
  readonly method: "mechanical";
}
