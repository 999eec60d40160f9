const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** `Expires tomorrow, 18:31`: the day of `until` as seen at `now`, both in milliseconds, and the time. */
export function expiresText(until: number, now: number): string {
  const next = new Date(now);
  next.setDate(next.getDate() + 1);
  const on = day.format(until);
  const named = on === day.format(now) ? "today" : on === day.format(next) ? "tomorrow" : on;
  return `Expires ${named}, ${clock.format(until)}`;
}
