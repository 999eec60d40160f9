export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** `0.9 s`, `4.2 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h` */
export function durationText(ms: number): string {
  if (ms < 100) return "< 0.1 s";
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / 1_000)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

interface Span {
  /** null: it goes on */
  readonly durationMs: number | null;
  /** of it, until a person had decided or answered */
  readonly waitedMs: number;
}

/** `worked 4.2 s`, and `waited 3 min 5 s` for the time that a person took. */
export function spanWords(spans: readonly Span[]): readonly string[] {
  const waited = spans.reduce((sum, { waitedMs }) => sum + waitedMs, 0);
  const lasted = spans.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const worked = `worked ${durationText(lasted - waited)}`;
  return waited === 0 ? [worked] : [worked, `waited ${durationText(waited)}`];
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A date and its time in the reader's time zone and language. */
export const dateText = (at: string): string => date.format(new Date(at));
