/** Cron expressions in words, as far as people write them. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const SHORT_DAYS = DAYS.map((day) => day.slice(0, 3).toUpperCase());
const and = new Intl.ListFormat("en", { type: "conjunction" });

/** `Monday to Friday at 09:00`, `every day at 09:00 and 17:00`, `every 15 minutes`; null for one that has no such words. */
export function cronWords(cron: string): string | null {
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...more] = cron.trim().split(/\s+/);
  if (more.length > 0 || month !== "*" || (day !== "*" && weekday !== "*")) return null;
  const days = day === "*" ? weekdayWords(weekday) : dayWords(day);
  const times = timeWords(minute, hour);
  if (days === null || times === null) return null;
  if (times.startsWith("at ")) return `${days} ${times}`;
  return days === "every day" ? times : `${times}, ${days}`;
}

function timeWords(minute: string, hour: string): string | null {
  if (hour === "*") {
    if (minute === "*") return "every minute";
    const step = /^\*\/(\d{1,2})$/.exec(minute)?.[1];
    // 45 minutes do not divide an hour: cron begins anew with each hour.
    if (step !== undefined) return 60 % Number(step) === 0 ? `every ${step} minutes` : null;
    const [at] = numbers(minute, 59) ?? [];
    if (at === undefined || minute.includes(",")) return null;
    return at === 0 ? "every hour" : `every hour, ${at} minutes after the full hour`;
  }
  const minutes = numbers(minute, 59);
  const hours = numbers(hour, 23);
  if (minutes === null || hours === null) return null;
  const two = (value: number): string => String(value).padStart(2, "0");
  return `at ${and.format(hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)))}`;
}

function weekdayWords(field: string): string | null {
  if (field === "*") return "every day";
  const range = /^(\w+)-(\w+)$/.exec(field);
  if (range !== null) {
    const [from, to] = [weekdayOf(range[1]), weekdayOf(range[2])];
    return from === null || to === null ? null : `${from} to ${to}`;
  }
  const named = field.split(",").map(weekdayOf);
  const days = named.filter((name) => name !== null);
  return days.length < named.length ? null : `every ${and.format(days)}`;
}

/** 7 is a Sunday too. */
function weekdayOf(text = ""): string | null {
  if (/^[0-7]$/.test(text)) return DAYS[Number(text) % 7] ?? null;
  return DAYS[SHORT_DAYS.indexOf(text.toUpperCase())] ?? null;
}

function dayWords(field: string): string | null {
  const days = numbers(field, 31);
  return days === null ? null : `on day ${and.format(days.map(String))} of every month`;
}

/** Numbers of a list such as `0,30`; null if it holds anything else. */
function numbers(field: string, max: number): readonly number[] | null {
  const found = field.split(",").map((text) => (/^\d{1,2}$/.test(text) ? Number(text) : max + 1));
  return found.some((value) => value > max) ? null : found;
}
