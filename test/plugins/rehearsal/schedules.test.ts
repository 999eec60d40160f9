import { expect, test } from "vitest";
import { play, type Played } from "./run.ts";
import { FakeSite } from "./site.ts";

/** What a person wants said or done later: made with the right times, told, cancelled; and nothing where it is not clear. */

const WATER = {
  id: "sch_1",
  text: "Reminder: water the plants",
  local: "Sunday 22 November 2026 at 09:00 (UTC)",
};
const CHECK = { id: "sch_2", text: "check the site", local: "Monday 23 November 2026 at 08:00 (UTC)" };

/** A session in which these are scheduled. */
class Scheduling extends FakeSite {
  readonly #schedules: readonly object[];
  constructor(schedules: readonly object[]) {
    super();
    this.#schedules = schedules;
  }

  override answer(name: string, input: Parameters<FakeSite["answer"]>[1]): string {
    if (name === "schedule_task") {
      const note = "at" in input ? { note: "The person's time zone is not known" } : {};
      return JSON.stringify({ schedule: { ...WATER, text: input["text"] ?? "" }, ...note });
    }
    if (name === "schedule_list") return JSON.stringify({ schedules: this.#schedules });
    if (name === "schedule_cancel") return JSON.stringify({ cancelled: { id: input["id"] ?? "", text: "" } });
    return super.answer(name, input);
  }
}

const TOOLS = ["schedule_task", "schedule_list", "schedule_cancel", "site_overview", "site_check"];
const say = (words: string, schedules: readonly object[] = [WATER]): Played =>
  play(new Scheduling(schedules), words, { tools: TOOLS });

const water = "Reminder: water the plants";

test.each([
  ["Remind me tomorrow at nine to water the plants", { text: water, at: "2026-11-22T09:00:00" }],
  ["please remind me to water the plants tomorrow at 9:30", { text: water, at: "2026-11-22T09:30:00" }],
  ["Remind me in 20 minutes to water the plants", { text: water, inMinutes: 20 }],
  ["remind me in an hour to water the plants", { text: water, inMinutes: 60 }],
  ["Remind me every Monday at 8 to water the plants", { text: water, cron: "0 8 * * 1" }],
  ["remind me every 90 minutes to water the plants", { text: water, everyMinutes: 90 }],
  ["Every Monday at 8 check the site", { text: "check the site", cron: "0 8 * * 1" }],
  [
    "Every weekday at 7:15, check the site and tell me",
    { text: "check the site and tell me", cron: "15 7 * * 1-5" },
  ],
  ["check the site every morning at 7", { text: "check the site", cron: "0 7 * * *" }],
  ["In 2 hours, check the site", { text: "check the site", inMinutes: 120 }],
  [
    "Erinnere mich morgen um 9 Uhr daran, die Blumen zu gießen",
    { text: "Reminder: die Blumen zu gießen", at: "2026-11-22T09:00:00" },
  ],
  ["Jeden Montag um 8 Uhr prüfe die Website", { text: "prüfe die Website", cron: "0 8 * * 1" }],
])("%s", (words, input) => {
  expect(say(words).calls.map((call) => [call.name, call.input])).toEqual([["schedule_task", input]]);
});

test("it says when it will be, and that it does not know the zone", () => {
  const { text } = say("Remind me tomorrow at nine to water the plants");
  expect(text).toContain(`"${water}" is scheduled, on Sunday 22 November 2026 at 09:00 (UTC).`);
  expect(text).toContain("I do not know your time zone, so this time is in UTC.");
  expect(say("Remind me in 20 minutes to water the plants").text).not.toContain("time zone");
});

test("what is scheduled is told and cancelled, by its words or as the only one", () => {
  expect(say("What did I schedule?", [WATER, CHECK]).text).toContain(
    `- ${water}: ${WATER.local}\n- check the site: ${CHECK.local}`,
  );
  expect(say("what did I schedule?", []).text).toContain("Nothing is scheduled here.");
  const cancelled = (words: string, of: readonly object[]): readonly unknown[] =>
    say(words, of).calls.flatMap(({ name, input }) => (name === "schedule_cancel" ? [input["id"]] : []));
  expect(cancelled("Cancel the reminder", [WATER])).toEqual(["sch_1"]);
  expect(cancelled("cancel the reminder to water the plants", [WATER, CHECK])).toEqual(["sch_1"]);
  expect(cancelled("delete all my reminders", [WATER, CHECK])).toEqual(["sch_1", "sch_2"]);
  expect(cancelled("cancel the reminder", [WATER, CHECK])).toEqual([]);
  expect(say("cancel the reminder", [WATER, CHECK]).text).toContain("Which one shall I cancel");
  expect(cancelled("cancel the reminder", [])).toEqual([]);
});

test("a reminder whose time has come is said, and nothing is done", () => {
  const { calls, text } = say(water);
  expect(calls).toEqual([]);
  expect(text).toContain("Reminder: water the plants.");
});

test.each([
  "remind me to water the plants",
  "remind me tomorrow to water the plants",
  "every Monday check the site",
])("%s: without a time nothing is scheduled", (words) => {
  expect(say(words).calls.filter(({ name }) => name === "schedule_task")).toEqual([]);
});
