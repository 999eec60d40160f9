import type { Json } from "../../../cairn/core/log/json.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { add, begin, type Reading } from "../reading.ts";
import { moment, timeOf, type Item } from "./item.ts";
import { sentItem } from "./item-sent.ts";
import { whyNotDone } from "../../log-text/why.ts";
import { oneLine } from "../../parts/one-line.ts";
import { lowerFirst, unstopped } from "../../log-text/codes.ts";

/** Calls of tools: an item for each call, from its first attempt to its result. */

export function callItem(reading: Reading, entry: Event): boolean {
  if (sentItem(reading, entry)) return true;
  switch (entry.kind) {
    case "call_intended": {
      const { call, tool, attempt } = entry.body;
      if (attempt > 1 && add(reading, call, entry, { note: `${tool}, attempt ${attempt}` })) return true;
      begin(
        reading,
        call,
        moment("tool", entry, reading.calls.get(call)?.title ?? tool, {
          note: tool,
          to: null,
          input: inputOf(reading, call),
        }),
      );
      return true;
    }
    case "call_settled":
      settleCall(reading, entry);
      return true;
    case "attempt_lost": {
      const preview = entry.body.what === "preview";
      const title = preview ? "The preview of a call was interrupted" : "A tool was interrupted";
      const note = `${named(reading, entry.body.effect.replace(/\.preview$/, ""))}: the server stopped meanwhile`;
      reading.items.push(moment("retry", entry, title, { note, tone: "bad" }));
      return true;
    }
    case "verdict": {
      const { code, call, until, hint } = entry.body;
      if (code !== "RETRY_LATER" || call === null) return false;
      const note = unstopped(oneLine(hint, 200));
      const title = `A wait before “${named(reading, call)}” is tried again`;
      reading.items.push(moment("retry", entry, title, { note, tone: "bad", waits: true, to: until }));
      return true;
    }
    default:
      return false;
  }
}

const inputOf = (reading: Reading, call: string): Json => reading.calls.get(call)?.input ?? null;
const named = (reading: Reading, call: string): string => reading.calls.get(call)?.title ?? call;

function settleCall(reading: Reading, entry: Event<"call_settled">): void {
  const { call, tool, reusedFrom, attempt, skip } = entry.body;
  const why = whyNotDone(entry.body);
  const tries = attempt > 1 ? `, attempt ${attempt}` : "";
  const same = reusedFrom === null ? "" : ", with the result of an earlier call";
  const note = why ?? `${tool}${tries}${same}`;
  const change: Partial<Item> = {
    input: inputOf(reading, call),
    note,
    tone: toneOf(entry),
    to: timeOf(entry),
  };
  if (add(reading, call, entry, change)) {
    reading.open.delete(call);
    return;
  }
  // The call never ran: its result is shown where it was blocked, or where it came from.
  reading.items.push({
    ...moment("tool", entry, reading.calls.get(call)?.title ?? tool),
    ...change,
    ...(skip === undefined ? {} : { note: why === null ? note : `${tool}: ${lowerFirst(why)}` }),
  });
}

function toneOf({ body }: Event<"call_settled">): Item["tone"] {
  return body.status === "ok" || body.status === "cancelled" ? "plain" : "bad";
}
