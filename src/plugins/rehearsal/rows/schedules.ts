import { row, type Intent } from "../intent.ts";
import { cancelSchedule, remind, scheduleWork, tellReminder, tellSchedules } from "../wishes/schedules.ts";

/** Rows of the table of intents for what is to be done or said later. */

const ME = "remind (me|us)";
const TO = "(to|that|about|of|,)";
const ERINNERE = "(erinnere|erinner) (mich|uns)";
const DARAN = "[uhr] [daran] [,] [zu|an|dass]";
const ALL = "(all|all the|all my|all of my|every) (reminders|schedules|scheduled tasks)";
const IT = "((the|this|that|my) (reminder|reminders|schedule|scheduled task))";

export const SCHEDULES: readonly Intent[] = [
  row("remind at a time", "write", remind(false))`
    ${ME} {when} ${TO} {later}
    ${ME} ${TO} {later} {when}
    ${ME} in {minutes} ${TO} {later}
    ${ME} ${TO} {later} in {minutes}
    (set|make|create) (a|one) reminder [for] {when} [,|:] (to|about|for) {later}
    ${ERINNERE} {when} ${DARAN} {later}
    ${ERINNERE} in {minutes} ${DARAN} {later}
  `,
  row("remind again and again", "write", remind(true))`
    ${ME} every {often} ${TO} {later}
    ${ME} ${TO} {later} every {often}
    ${ME} every {minutes} ${TO} {later}
    ${ERINNERE} (jeden|jede) {often} ${DARAN} {later}
  `,
  row("do it again and again", "write", scheduleWork(true))`
    every {often} [,|:] {later}
    {later} every {often}
    every {minutes} [,|:] {later}
    (jeden|jede) {often} [uhr] [,|:] {later}
  `,
  row("do it later", "write", scheduleWork(false))`
    in {minutes} [,|:] {later}
  `,
  row("tell what is scheduled", "read", tellSchedules)`
    what (did|have) (i|we|you) (schedule|scheduled|plan|planned) [so far|here]
    (what is|what's|whats) scheduled [here]
    (which|what) (reminders|schedules|scheduled tasks) (do i have|do we have|are there|are set)
    (show|list|show me|tell me) [(all|the|my|all my|our)] (reminders|schedules|scheduled tasks)
    was (habe ich|ist|hast du) [hier] (geplant|eingeplant)
    (welche|zeig mir [die|meine]) erinnerungen [gibt es|habe ich]
  `,
  row("cancel all that is scheduled", "write", cancelSchedule(true))`
    (cancel|delete|remove|stop|drop) ${ALL}
  `,
  row("cancel what is scheduled", "write", cancelSchedule(false))`
    (cancel|delete|remove|stop|drop) ${IT} [(to|about|of|for|that says) {later}]
    (lösche|lösch|streiche|streich) (die|diese|meine) erinnerung [an {later}]
  `,
  row("be a reminder", "talk", tellReminder)`
    reminder : {later}
    erinnerung : {later}
  `,
];
