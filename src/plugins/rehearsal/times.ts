import type { Token } from "./reading.ts";

/** Times as people say them. A reader takes its words wholly or not at all. */

/** a time of a day that is so many days ahead */
interface Moment {
  readonly days: number;
  readonly clock: string;
}

const lowers = (tokens: readonly Token[]): string[] => tokens.map((token) => token.lower);

const HOURS = new Map(
  Object.entries({
    ...{ one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
    ...{ eleven: 11, twelve: 12, noon: 12, midnight: 0 },
  }),
);
const DAYS = new Map(Object.entries({ today: 0, tomorrow: 1, heute: 0, morgen: 1 }));

/** "tomorrow at nine", "at 9:30 tomorrow", "morgen um 9 uhr": hours of the afternoon with pm, or counted to 24. */
export function moment(tokens: readonly Token[]): Moment | null {
  const words = lowers(tokens).filter(
    (word) => !/^(?:at|um|uhr|o['’]?clock|on|in|the|morning|:)$/u.test(word),
  );
  const day = words.find((word) => DAYS.has(word));
  const rest = words.filter((word) => word !== day);
  const half = rest.findIndex((word) => /^[ap]\.?m\.?$/u.test(word));
  const isAfter = half >= 0 && rest[half]?.startsWith("p") === true;
  const [first = "", minutes = "00", ...more] = rest.filter((_, at) => at !== half);
  const written = /^(\d{1,2})(?:[:.](\d\d))?(am|pm)?$/u.exec(first);
  const hour = written === null ? HOURS.get(first) : Number(written[1]);
  const minute = written?.[2] ?? minutes;
  if (day === undefined || hour === undefined || more.length > 0 || !/^[0-5]\d$/u.test(minute)) return null;
  const at = (isAfter || written?.[3] === "pm") && hour < 12 ? hour + 12 : hour;
  if (at > 23) return null;
  return { days: DAYS.get(day) ?? 0, clock: `${String(at).padStart(2, "0")}:${minute}:00` };
}

/** "20 minutes", "two hours", "90 min" */
export function minutesOf(tokens: readonly Token[]): number | null {
  const [count = "", unit = "", ...more] = lowers(tokens);
  const each = /^(?:min|mins|minutes?|minuten?)$/u.test(unit)
    ? 1
    : /^(?:h|hours?|stunden?)$/u.test(unit)
      ? 60
      : 0;
  const all =
    (/^\d{1,5}$/u.test(count)
      ? Number(count)
      : /^(?:a|an|eine|einer)$/u.test(count)
        ? 1
        : (HOURS.get(count) ?? 0)) * each;
  return more.length > 0 || all === 0 ? null : all;
}

const WEEKDAYS = new Map(
  Object.entries({
    ...{ sunday: "0", monday: "1", tuesday: "2", wednesday: "3", thursday: "4", friday: "5", saturday: "6" },
    ...{
      sonntag: "0",
      montag: "1",
      dienstag: "2",
      mittwoch: "3",
      donnerstag: "4",
      freitag: "5",
      samstag: "6",
    },
    ...{ day: "*", morning: "*", tag: "*", morgen: "*", weekday: "1-5", werktag: "1-5" },
  }),
);

/** "Monday at 8", "weekday at 9:30", "morning at 7", "montag um 8 uhr": as five fields of cron. */
export function weekly([day, ...clock]: readonly Token[]): string | null {
  const days = WEEKDAYS.get(day?.lower ?? "");
  const [first] = clock;
  if (days === undefined || first === undefined) return null;
  const at = moment([{ ...first, lower: "today" }, ...clock]);
  if (at === null) return null;
  const [hour = "", minute = ""] = at.clock.split(":");
  return `${Number(minute)} ${Number(hour)} * * ${days}`;
}
