import type { BodyOf } from "../../../cairn/core/log/entry.ts";
import type { Usage } from "../../../cairn/core/log/model.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { add, begin, type Reading } from "../reading.ts";
import { moment, timeOf, type Item } from "./item.ts";
import { oneLine } from "../../parts/one-line.ts";
import { MODEL_ERROR_WORDS, modelName, REMEDY_WORDS, unstopped } from "../../log-text/codes.ts";

/** Calls of the model: an item for each attempt, and one for each wait between two. */

const NAME = "model";
const TITLES_SHOWN = 3;

/** Takes the entry if it is about a call of the model. */
export function modelItem(reading: Reading, entry: Event): boolean {
  switch (entry.kind) {
    case "step_started":
      reading.again = null;
      begin(
        reading,
        NAME,
        moment("model", entry, "The model is asked", { note: modelName(entry.body.model), to: null }),
      );
      return true;
    case "model_replied":
      for (const { call, title, input } of entry.body.calls) reading.calls.set(call, { title, input });
      attempt(reading, entry, replied(entry));
      return true;
    case "model_failed": {
      const { then, until } = entry.body;
      attempt(reading, entry, failed(entry));
      if (then === "retry" && until !== null)
        reading.items.push({
          ...moment("retry", entry, "Waiting before the next attempt", {
            tone: "waits",
            waits: true,
            to: until,
          }),
          id: `${entry.seq}w`,
        });
      reading.again = then === "force" || then === "end" ? null : (until ?? timeOf(entry));
      return true;
    }
    case "attempt_lost":
      if (entry.body.what !== "model") return false;
      attempt(reading, entry, {
        title: "The model call was interrupted",
        note: "The server stopped; the call is made again",
        tone: "bad",
        cost: entry.body.cost ?? null,
      });
      reading.again = timeOf(entry);
      return true;
    default:
      return false;
  }
}

/** Closes the attempt that is open, or the one that the last failure announced. */
function attempt(reading: Reading, entry: Event, change: Partial<Item>): void {
  const to = timeOf(entry);
  if (reading.again === null && add(reading, NAME, entry, { ...change, to })) {
    reading.open.delete(NAME);
    return;
  }
  const from = Math.min(reading.again ?? to, to);
  reading.again = null;
  reading.items.push({ ...moment("model", entry, ""), ...change, from, to });
}

function replied({ body }: Event<"model_replied">): Partial<Item> {
  const { calls, finish, usage, model } = body;
  const bad = finish === "length" || finish === "content-filter";
  return {
    title: replyTitle(body),
    note: bad
      ? `${modelName(model)}: ${finish === "length" ? "cut off by its length limit" : "held back by a filter"}`
      : modelName(model),
    tone: bad ? "bad" : "plain",
    tokens: tokensOf(usage),
    cost: usage.cost,
    ...(calls.some((call) => call.refused !== null) && calls.every((call) => call.refused !== null)
      ? { tone: "bad" }
      : {}),
  };
}

function replyTitle({ calls, finish, parts }: BodyOf<"model_replied">): string {
  if (finish === "aborted") return "The model was stopped";
  if (calls.length === 0) {
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return text.trim() === "" ? "The model said nothing" : "The model answered";
  }
  const titles = [...new Set(calls.map((call) => call.title))];
  const more = titles.length > TITLES_SHOWN ? ` and ${titles.length - TITLES_SHOWN} more` : "";
  return `The model asked for: ${titles.slice(0, TITLES_SHOWN).join(", ")}${more}`;
}

function failed({ body }: Event<"model_failed">): Partial<Item> {
  const message = unstopped(oneLine(body.message, 200));
  return {
    title: `The model did not answer: ${MODEL_ERROR_WORDS[body.class]}`,
    note: `${message}; ${REMEDY_WORDS[body.then]}`,
    tone: "bad",
    tokens: body.usage === null ? null : tokensOf(body.usage),
    cost: body.usage?.cost ?? null,
  };
}

const tokensOf = ({ inputTokens, outputTokens, estimated }: Usage): Item["tokens"] => ({
  input: inputTokens,
  output: outputTokens,
  estimated,
});
