import { readArguments, usage, type Parsed } from "../start/start-options.ts";

/** Options of `npm run replay -- …`. */
export interface ReplayOptions {
  readonly file: string;
  /** stop behind this entry; null goes to the end */
  readonly at: number | null;
  /** the folded state on standard output, as JSON */
  readonly state: boolean;
}

export const REPLAY_USAGE = `npm run replay -- FILE     replays the log of a session offline, and compares the result with the state in the file
  FILE is one of these, told apart by what is in it:
    the SQLite file of a session, as \`npm start\` leaves it under .wrangler/state/v3/do
    an export (GET /api/sessions/<id>/export): also checked for changes
    the answer of GET /api/sessions/<id>/events, or several pages of it one after another
    entries with a state and its hash, as in test/fixtures/persisted
    a trace (GET /api/sessions/<id>/trace?format=jsonl): checked for changes only
  --at N      stop after entry N
  --state     print the replayed state on standard output, as JSON; the rest goes to standard error
Exit code: 0 the log replays, to the state in the file where there is one; 1 it does not; 2 wrong use.`;

/** Reads the arguments of `npm run replay`. */
export function parseReplayOptions(argv: readonly string[]): Parsed<ReplayOptions> {
  const read = readArguments(argv, { at: { type: "string" }, state: { type: "boolean" } }, true);
  if (read.kind !== "options") return read;
  const { values, positionals } = read;
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) return usage("It takes one file.");
  if (values.at !== undefined && !/^[1-9]\d{0,14}$/.test(values.at))
    return usage(`--at takes the number of an entry, from 1, not ${JSON.stringify(values.at)}`);
  const at = values.at === undefined ? null : Number(values.at);
  return { kind: "options", options: { file, at, state: values.state === true } };
}
