import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Model } from "../../../src/cairn/core/log/model.ts";
import { realModel } from "../../bench-cms/run/mind.ts";
import { replyOf } from "../../sim/platform/fake-model.ts";
import type { FakePlatform } from "../../sim/platform/platform.ts";
import type { Question } from "../format.ts";
import { isBorneOut } from "./grade.ts";

/** Source of the answers: the gold path, the rules of the rehearsal model, or a real model. */
export type Mind = "gold" | "rehearsal" | { readonly model: string };

export function modelOf(question: Question, mind: Mind, platform: () => FakePlatform): Model {
  return mind === "gold" ? goldModel(question, platform) : realModel(mind);
}

/** Searches, reads the pages that are known to say it, and cites the passages that do. It says nothing that it was not shown. */
function goldModel(question: Question, platform: () => FakePlatform): Model {
  const { queries, urls } = question.path;
  const goal = [question.ask, ...question.evidence.map(({ words }) => words)].join(" ").slice(0, 500);
  const steps: (readonly [string, Json])[] = [
    ["web_search", { queries: [...queries] }],
    ...(urls.length === 0 ? [] : [["visit", { urls: [...urls], goal }] as const]),
  ];
  return {
    call: ({ step }, draft) => {
      const call = steps[Number(/s(\d+)/.exec(step)?.[1] ?? "1") - 1];
      const line =
        call === undefined
          ? { text: goldAnswer(question, platform()) }
          : { text: "Next.", calls: [[...call]] as [string, Json][] };
      return Promise.resolve({ kind: "replied", reply: replyOf(line, draft) });
    },
  };
}

function goldAnswer({ gold, evidence }: Question, { log }: FakePlatform): string {
  const shown = log.flatMap((entry) =>
    entry.kind === "call_settled" && entry.body.tool === "visit" ? quotesIn(entry.body.observation) : [],
  );
  const marks = shown.filter((one) => isBorneOut(one, evidence)).map(({ id }) => `[${id}]`);
  const said = {
    value: () => (gold.form === "value" ? (gold.said[0] ?? "") : ""),
    whether: () => (gold.form === "whether" && gold.is ? "Yes, it is" : "No, it is not"),
    all: () => (gold.form === "all" ? gold.names.join(", ") : ""),
    pick: () => (gold.form === "pick" ? `${gold.name}: ${evidence.map(({ words }) => words).join(" ")}` : ""),
    absent: () => "I did not find it on any page",
  }[gold.form]();
  return `${said} ${marks.join(" ")}`.trim();
}

/** The passages that a `visit` showed, as its observation has them. */
function quotesIn(
  observation: string,
): { readonly id: string; readonly url: string; readonly quote: string }[] {
  const text = observation.slice(observation.indexOf("{"), observation.lastIndexOf("}") + 1);
  const { pages = [] } = JSON.parse(text) as {
    pages?: readonly {
      readonly url: string;
      readonly quotes?: readonly { readonly id: string; readonly quote: string }[];
    }[];
  };
  return pages.flatMap(({ url, quotes = [] }) => quotes.map((one) => ({ ...one, url })));
}
