import { ownValue } from "../../../cairn/core/log/json.ts";
import type { BodyOf } from "../../../cairn/core/log/entry.ts";
import type { PromptPart } from "../../../cairn/core/log/model.ts";
import { endWords } from "../../../cairn/core/text/cause-words.ts";
import type { Event } from "../../../cairn/protocol/views.ts";
import { noteText } from "../../chat/words.ts";
import { moment, type Item } from "./item.ts";
import { oneLine } from "../../parts/one-line.ts";
import { guardWords, modelName, QUOTE_CHARS, rememberedText, unstopped } from "../../log-text/codes.ts";

/** Entries without a duration: messages, verdicts, plan, memory, beginning and end. */

const TEXT_CHARS = 240;

export function momentItem(entry: Event): readonly Item[] {
  switch (entry.kind) {
    case "user_message":
      return [
        moment("run", entry, `${askerOf(entry.body)} ${MODE_WORDS[entry.body.mode]}`, {
          note: oneLine(textOf(entry.body.parts), TEXT_CHARS),
        }),
      ];
    case "run_queued":
      return [
        moment("run", entry, `A run for ${entry.body.actor} is queued`, {
          note: entry.body.parent === undefined ? SOURCES[entry.body.source] : "from the run above it",
        }),
      ];
    case "run_started":
      return [moment("run", entry, "The run started", { note: begun(entry.body) })];
    case "verdict":
      return [guardItem(entry)];
    case "review":
      return [verdictItem(entry)];
    case "plan_changed":
      return [planItem(entry)];
    case "progress_noted": {
      const { text, percent } = entry.body;
      return [moment("plan", entry, "Progress", { note: noteText(oneLine(text, TEXT_CHARS), percent) })];
    }
    case "memory_changed":
      return [
        moment("memory", entry, `Memory: ${rememberedText(entry.body)}`, {
          note: entry.body.tool ?? entry.body.by ?? null,
        }),
      ];
    case "compacted": {
      const { before, after } = entry.body;
      const note = `about ${count(before)} tokens became ${count(after)}`;
      return [moment("check", entry, "Earlier steps were summed up", { note })];
    }
    case "answer": {
      const title = {
        plain: "The answer",
        marker: "The answer",
        tag: "The answer",
        complete: "The answer",
        forced: "The answer, from what was known",
        mechanical: "The answer, without the model",
      }[entry.body.source];
      return [moment("run", entry, title, { note: oneLine(entry.body.text, TEXT_CHARS) })];
    }
    case "label_asked":
      return [moment("model", entry, "A model was asked to classify the work")];
    case "run_labelled": {
      const { label } = entry.body;
      if (label === null) return [moment("model", entry, "It did not decide, so rules chose")];
      return [moment("model", entry, `It takes this for ${label.level} work`)];
    }
    case "run_ended": {
      const { class: outcome, reason } = entry.body;
      return [moment("run", entry, `The run ended: ${endWords(outcome, reason)}`, { tone: TONES[outcome] })];
    }
    case "session_cleared":
      return [moment("run", entry, `${entry.body.actor} cleared the conversation`)];
    case "titled":
      return [moment("run", entry, `The model named the session “${entry.body.title}”`)];
    case "queue_held":
      return [
        moment(
          "run",
          entry,
          `${entry.body.actor} ${entry.body.held ? "held the queue" : "released the queue"}`,
        ),
      ];
    case "answer_hidden":
      return [moment("run", entry, `${entry.body.actor} asked again, so the answer is hidden`)];
    case "note":
      return [
        moment("check", entry, ownValue(NOTES, entry.body.code) ?? "A note", {
          note: oneLine(entry.body.text, TEXT_CHARS),
          tone: entry.body.code === "hook_failed" ? "bad" : "plain",
        }),
      ];
    default:
      return [moment("check", entry, entry.kind.replaceAll("_", " "))];
  }
}

const NOTES: Readonly<Record<string, string>> = {
  hook_failed: "A hook of its agent failed",
  notes_delivered: "Messages on hold were delivered",
};

/** The request of another run is shown without a person's name. */
const askerOf = ({ author, source, parts }: BodyOf<"user_message">): string =>
  source !== "webhook" &&
  parts.length > 0 &&
  parts.every((part) => part.type === "text" && part.trusted === true)
    ? "The run above it"
    : author;

const MODE_WORDS: Readonly<Record<BodyOf<"user_message">["mode"], string>> = {
  queue: "asked",
  replace: "asked, in place of what ran",
  join: "added, while it worked",
  answer: "answered",
};

const SOURCES: Readonly<Record<BodyOf<"run_queued">["source"], string>> = {
  heartbeat: "by its heartbeat",
  capsule: "to work at it for a time",
  web: "from a message",
  api: "from a message",
  webhook: "from a webhook",
  schedule: "from a schedule",
};

const TONES: Readonly<Record<BodyOf<"run_ended">["class"], Item["tone"]>> = {
  answered: "good",
  partial: "waits",
  failed: "bad",
  cancelled: "plain",
};

const textOf = (parts: readonly PromptPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join(" ");

const count = (amount: number): string => amount.toLocaleString("en");

function begun({ profile, limits, grant, model }: BodyOf<"run_started">): string {
  return `${profile.replaceAll("_", " ")} work, at most ${count(limits.steps)} steps, ${grant.length} tools, ${modelName(model)}`;
}

function guardItem(entry: Event<"verdict">): Item {
  const { code, act, until, hint } = entry.body;
  const stops = act === "force" || act === "end";
  const waits = act === "wait" && until !== null;
  const tone = stops || act === "reask" || code === "GUARD_ERROR" ? "bad" : waits ? "waits" : "plain";
  const hintText = act === "note" ? `it was told: “${unstopped(oneLine(hint, QUOTE_CHARS))}”` : "";
  const note = `${CONSEQUENCES[act]}${hintText}`;
  const kind = waits ? "retry" : "check";
  const item = moment(kind, entry, guardWords(code), { tone, note: note === "" ? null : note });
  return waits ? { ...item, waits, to: until } : item;
}

const CONSEQUENCES: Readonly<Record<BodyOf<"verdict">["act"], string>> = {
  note: "",
  retry: "tried again",
  wait: "it waits",
  reask: "the model is asked again",
  force: "the answer is written from what is known",
  end: "the run ends",
};

function verdictItem(entry: Event<"review">): Item {
  const { accept, codes } = entry.body;
  if (accept) return moment("check", entry, "Answer check passed", { tone: "good" });
  const why = codes.map(guardWords).join("; ");
  return moment("check", entry, `The review sent the answer back: ${why}`, { tone: "bad" });
}

function planItem(entry: Event<"plan_changed">): Item {
  const { items, rev, by, claims } = entry.body;
  const done = items.filter((item) => item.status === "done").length;
  const doing = items.find((item) => item.status === "doing") ?? items.find((item) => item.status === "open");
  const title = `${rev > 1 ? `Plan ${rev}` : "Plan"}: ${done} of ${items.length} done`;
  const next = doing === undefined ? null : `next: ${oneLine(doing.text, QUOTE_CHARS)}`;
  const made = by === "core" ? "written for it, since it made none" : null;
  const unproven = claims.length === 0 ? null : `${claims.join(", ")} was called done, and nothing shows it`;
  const note = [next, made, unproven].filter((part) => part !== null).join("; ");
  return moment("plan", entry, title, {
    note: note === "" ? null : note,
    ...(unproven === null ? {} : { tone: "bad" }),
  });
}
