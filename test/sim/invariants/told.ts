import { unfence } from "../../../src/cairn/core/text/untrusted.ts";
import { isDeepStrictEqual } from "node:util";
import type { Entry } from "../../../src/cairn/core/log/entry.ts";
import { runOf } from "../../../src/cairn/core/log/names.ts";
import { loadMessages } from "../../../src/cairn/session/api/log-reader.ts";
import type { UiMessage } from "../../../src/cairn/protocol/stream/ui-chunk.ts";
import { receiptOf } from "../../../src/cairn/core/guards/review/receipt.ts";
import type { Receipt } from "../../../src/cairn/core/log/receipt.ts";
import { proposed, type Rule } from "../scripts/conversation.ts";

/** Without its marks of where it is shown. */
const listsOf = ({ changed, failed, unknown, more }: Receipt): Receipt => ({
  changed,
  failed,
  unknown,
  more,
});

/** Invariants of the text that the model and people receive. */
export const OF_WHAT_IS_TOLD: Readonly<Record<string, Rule>> = {
  "no prompt shows a call without its result, in order": ({ platform }) =>
    platform.requests.every((request) => {
      const asked = request.messages.flatMap((message) =>
        message.role === "assistant"
          ? message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
          : [],
      );
      const answered = request.messages.flatMap((message) =>
        message.role === "tool" ? message.results.map((result) => result.call) : [],
      );
      return isDeepStrictEqual(asked, answered);
    }),
  "every request of a run holds what the person said in it": ({ platform, log }) =>
    platform.requests.every((request) => {
      const run = request.step.replace(/s\d+$/, "");
      const said = log.filter(
        (entry) => entry.kind === "user_message" && entry.run === run && entry.body.mode !== "answer",
      );
      const first = log.find((entry) => entry.kind === "run_queued" && entry.run === run);
      const text = JSON.stringify(request.messages);
      // Messages that joined later are in the requests after them: the last request must hold all.
      const isLast = platform.requests.findLast((other) => other.step.startsWith(`${run}s`)) === request;
      const asked = log.filter((entry) => first?.kind === "run_queued" && entry.seq === first.body.inputSeq);
      return [
        ...asked,
        ...(isLast ? said.filter((entry) => entry.seq <= (readTo(log, run) ?? 0)) : []),
      ].every(
        (entry) =>
          entry.kind !== "user_message" ||
          // Webhook text stands between fences.
          entry.body.source === "webhook" ||
          entry.body.parts.every((part) => part.type !== "text" || text.includes(JSON.stringify(part.text))),
      );
    }),
  "a plan that was done stays done": ({ log }) => {
    const done = new Map<string, ReadonlySet<string>>();
    return log.every((entry) => {
      if (entry.kind !== "plan_changed") return true;
      const before = done.get(entry.run ?? "");
      const now = new Set(entry.body.items.flatMap((item) => (item.status === "done" ? [item.id] : [])));
      done.set(entry.run ?? "", now);
      return [...(before ?? [])].every((id) => now.has(id));
    });
  },
  "what is said to be done has a result behind it": ({ log }) =>
    log.every(
      (entry) =>
        entry.kind !== "plan_changed" ||
        (entry.body.done ?? []).every((id) => {
          const item = entry.body.items.find((one) => one.id === id);
          return log.some(
            (other) =>
              item?.seqs.includes(other.seq) && other.kind === "call_settled" && other.body.status === "ok",
          );
        }),
    ),
  "the model is told of every unknown outcome": ({ platform, log }) =>
    log.every((entry) => {
      if (entry.kind !== "call_settled" || entry.body.status !== "unknown" || entry.step === null)
        return true;
      const later = platform.requests.filter(
        (request) =>
          request.step.startsWith(`${entry.run}s`) && stepNumber(request.step) > stepNumber(entry.step ?? ""),
      );
      // In full, or by name in the summary that stands for it.
      const summed = new RegExp(`\\(\\d+ unknown\\)[^"]*\\b${entry.body.call}\\b`);
      return later.every((request) => {
        const told = JSON.stringify(request.messages);
        return told.includes("unknown_outcome") || summed.test(told);
      });
    }),
  "a failure that nobody corrected is told": ({ log }) =>
    log.every((entry) => {
      if (entry.kind !== "run_ended" || entry.body.outcome !== "completed") return true;
      const entries = log.filter((other) => other.run === entry.run);
      const settled = entries.flatMap((other) => (other.kind === "call_settled" ? [other.body] : []));
      const failed = settled.filter((one) => one.status === "error" || one.status === "unknown");
      if (failed.length === 0 || settled.some((one) => one.status === "ok")) return true;
      const answer = entries.findLast((other) => other.kind === "answer");
      return answer?.kind !== "answer" || /not|no |never|fail|could/i.test(answer.body.text);
    }),
  "every answer has the receipt of its run": ({ log }) =>
    log.every(
      (entry, at) =>
        entry.kind !== "answer" ||
        entry.run === null ||
        isDeepStrictEqual(listsOf(entry.body.receipt), receiptOf(entry.run, log.slice(0, at))),
    ),
  "a run whose effects all failed has changed nothing, by its receipt": ({ log }) => {
    const effects = new Set(proposed(log).flatMap(({ call, effect }) => (effect === "read" ? [] : [call])));
    return log.every((entry) => {
      if (entry.kind !== "answer") return true;
      const done = log.some(
        (other) =>
          other.kind === "call_settled" &&
          other.run === entry.run &&
          other.body.status === "ok" &&
          effects.has(other.body.call),
      );
      return done || entry.body.receipt.changed.length === 0;
    });
  },
  "every model request is accounted for": ({ platform, log }) =>
    platform.begun.filter((effect) => effect.what === "model").length <=
    log.filter(
      (entry) =>
        entry.kind === "step_started" ||
        entry.kind === "label_asked" ||
        entry.kind === "model_failed" ||
        (entry.kind === "attempt_lost" && entry.body.what === "model"),
    ).length,
  "every accepted message is read, or visibly ended": ({ platform, log, state }) => {
    const read = new Set(
      platform.requests.flatMap((request) =>
        request.messages.flatMap((message) =>
          message.role === "user"
            ? // A webhook's words stand as data.
              message.parts.flatMap((part) => (part.type === "text" ? [unfence(part.text)] : []))
            : [],
        ),
      ),
    );
    // An answer is read as the result of the call that had asked.
    const results = new Set(
      log.flatMap((entry) =>
        entry.kind === "human_answered" &&
        platform.requests.some((request) =>
          request.messages.some(
            (message) =>
              message.role === "tool" &&
              message.results.some(
                ({ call, observation }) =>
                  call === entry.body.call && observation.includes(JSON.stringify(entry.body.value)),
              ),
          ),
        )
          ? [entry.run ?? ""]
          : [],
      ),
    );
    return log.every((entry) => {
      if (entry.kind !== "user_message") return true;
      if (entry.body.parts.every((part) => part.type !== "text" || read.has(part.text))) return true;
      if (entry.body.mode === "answer" && results.has(entry.run ?? "")) return true;
      const runs = log.flatMap((other) =>
        other.run === entry.run || (other.kind === "run_queued" && other.body.inputSeq === entry.seq)
          ? [other.run]
          : [],
      );
      const ended = log.some(
        (other) =>
          other.kind === "run_ended" && runs.includes(other.run) && other.body.outcome !== "completed",
      );
      return ended || entry.seq <= state.cleared;
    });
  },
  "a hidden answer is read by no model": ({ platform, log }) =>
    log.every((entry) => {
      if (entry.kind !== "answer_hidden") return true;
      const { run } = entry.body;
      const hidden = log.flatMap((other) =>
        other.kind === "answer" && other.run === run ? [JSON.stringify(other.body.text).slice(1, -1)] : [],
      );
      const later = platform.requests.filter(
        ({ step }) => Number(runOf(step)?.slice(1)) > Number(run.slice(1)),
      );
      return later.every(({ messages }) => hidden.every((text) => !JSON.stringify(messages).includes(text)));
    }),
  "no secret is in any entry, frame or prompt": ({ platform, client }) => {
    if (platform.secrets.length === 0) return true;
    const places = [
      platform.disk.dump(),
      JSON.stringify(platform.requests),
      JSON.stringify(platform.published),
      JSON.stringify(platform.drafts),
      JSON.stringify(client?.events ?? []),
    ];
    return platform.secrets.every(({ value }) => places.every((place) => !place.includes(value)));
  },
  "what a client shows of a run is what the log says": ({ platform, client, log, state }) => {
    if (client === null) return true;
    const store = {
      entriesBefore: (before: number, limit: number): Entry[] =>
        log
          .filter((entry) => entry.seq < before)
          .toReversed()
          .slice(0, limit),
      entriesBetween: (from: number, to: number): Entry[] =>
        log.filter((entry) => entry.seq >= from && entry.seq <= to),
      loadBlob: (ref: string): string | null => platform.store.loadBlob(ref),
    };
    const { items } = loadMessages(store, "ses", state.cleared, 1_000, null);
    return items.every((message) => {
      if (message.role !== "assistant") return true;
      const shown = client.message(message.id);
      return shown === null || isDeepStrictEqual(partsOf(shown), partsOf(message));
    });
  },
};

/** Visible parts of a message: its texts and its tools, not the figures next to them. */
function partsOf(message: UiMessage): unknown[] {
  return message.parts.flatMap((part) => {
    const type = String(part["type"]);
    if (type === "text" || type === "reasoning") return part["text"] === "" ? [] : [[type, part["text"]]];
    return type.startsWith("tool-") ? [[type, part["toolCallId"], part["state"], part["output"]]] : [];
  });
}

/** The head of the log when the last request of the run that was answered was made. */
function readTo(log: readonly Entry[], run: string): number | null {
  const entry = log.findLast((one) => one.run === run && one.kind === "model_replied");
  return entry?.kind === "model_replied" ? entry.body.readTo : null;
}

function stepNumber(step: string): number {
  return Number(/s(\d+)$/.exec(step)?.[1] ?? 0);
}
