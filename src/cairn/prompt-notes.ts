import { ownValue } from "./core/log/json.ts";
import type { NoteName, NoteText } from "./core/prompt-note.ts";
import { unescapeXml } from "./call-prompts.ts";
import answerFirst from "../../prompts/cairn/notes/answer-first.xml";
import answerNow from "../../prompts/cairn/notes/answer-now.xml";
import approaches from "../../prompts/cairn/notes/approaches.xml";
import attempt from "../../prompts/cairn/notes/attempt.xml";
import finalAnswerLine from "../../prompts/cairn/notes/final-answer-line.xml";
import heartbeat from "../../prompts/cairn/notes/heartbeat.xml";
import nudgeHard from "../../prompts/cairn/notes/nudge-hard.xml";
import nudgeSoft from "../../prompts/cairn/notes/nudge-soft.xml";
import planAlone from "../../prompts/cairn/notes/plan-alone.xml";
import planWanted from "../../prompts/cairn/notes/plan-wanted.xml";
import replan from "../../prompts/cairn/notes/replan.xml";
import replyJson from "../../prompts/cairn/notes/reply-json.xml";
import replyTags from "../../prompts/cairn/notes/reply-tags.xml";
import stopHere from "../../prompts/cairn/notes/stop-here.xml";
import synthesis from "../../prompts/cairn/notes/synthesis.xml";

/**
 * The runtime's own texts within a conversation: how to reply, and notes before a step. One file for each, in
 * `prompts/cairn/notes`. The core decides which is due; the session hands in this function, which has the words.
 */
export const promptNotes = {
  "answer-first": answerFirst,
  "answer-now": answerNow,
  approaches,
  attempt,
  "final-answer-line": finalAnswerLine,
  heartbeat,
  "nudge-hard": nudgeHard,
  "nudge-soft": nudgeSoft,
  "plan-alone": planAlone,
  "plan-wanted": planWanted,
  replan,
  "reply-json": replyJson,
  "reply-tags": replyTags,
  "stop-here": stopHere,
  synthesis,
} as const satisfies Readonly<Record<NoteName, string>>;

/**
 * The text inside `<note>`, with a value for each `{{name}}`. Throws on a place without a value, and on a file of another form.
 */
export const promptNote: NoteText = (name, places = {}) => {
  const inside = /^<note>\n([^]*)\n<\/note>\s*$/.exec(promptNotes[name])?.[1];
  if (inside === undefined) throw new Error(`the prompt ${name} is no <note>`);
  return unescapeXml(inside).replace(/\{\{(\w+)\}\}/g, (_, slot: string) => {
    const value = ownValue(places, slot);
    if (value === undefined) throw new Error(`the prompt ${name} has no ${slot}`);
    return String(value);
  });
};
