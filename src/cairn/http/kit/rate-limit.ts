import { refusal, type ApiError } from "../../session/api/session-api.ts";

const WINDOW_MS = 60_000;
const SUBJECTS_MAX = 1_000;

/** Counts what each subject asks in any 60 seconds, in this isolate only. */
export interface RateLimit {
  /** the refusal of one request too many, or null */
  admit(subject: string): ApiError | null;
}

export function createRateLimit(perMinute: number, now: () => number): RateLimit {
  const requests = new Map<string, number[]>();
  return {
    admit(subject) {
      const at = now();
      const recent = (requests.get(subject) ?? []).filter((time) => time > at - WINDOW_MS);
      // Most recently used subjects stay in the map.
      requests.delete(subject);
      requests.set(subject, recent);
      const oldest = requests.keys().next();
      if (requests.size > SUBJECTS_MAX && !oldest.done) requests.delete(oldest.value);
      if (recent.length >= perMinute) {
        const retryAfter = ((recent[0] ?? at) + WINDOW_MS - at) / 1_000;
        return { ...refusal(429, "rate_limited", "Too many requests in a minute."), retryAfter };
      }
      recent.push(at);
      return null;
    },
  };
}
