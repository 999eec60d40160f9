import { useMemo } from "react";
import type { Event } from "../../cairn/protocol/views.ts";
import { costText } from "../parts/amount-text.ts";
import { useCommands } from "../open-session/live.tsx";
import { Facts, type Fact } from "../parts/facts.tsx";
import { Ago, dateText, durationText } from "../parts/time.tsx";
import { goTo } from "../route.ts";
import type { Group } from "./items/item.ts";
import { whyOf } from "../log-text/why.ts";
import { oneLine } from "../parts/one-line.ts";
import { belowOf, wholeText, type Below } from "./children/below.ts";
import { totalsOf, type RunLine } from "./totals.ts";

const OBJECTIVE_CHARS = 60;

interface RunHeadProps {
  readonly runs: readonly RunLine[];
  readonly run: RunLine;
  readonly entries: readonly Event[];
  readonly groups: readonly Group[];
  readonly now: number;
}

/** The run, the reason for its state, and its usage. */
export function RunHead({ runs, run, entries, groups, now }: RunHeadProps) {
  const { id } = useCommands();
  const why = useMemo(() => whyOf(entries, now), [entries, now]);
  const trace = `/api/sessions/${id}/trace?run=${run.run}`;
  return (
    <header className="trace-head">
      <div className="row">
        <h2>Trace</h2>
        {runs.length < 2 ? null : (
          <select
            aria-label="Run"
            className="trace-runs"
            value={run.run}
            onChange={({ target }) =>
              goTo({ at: "session", session: id, panel: "trace", step: target.value })
            }
          >
            {runs.toReversed().map((each) => (
              <option key={each.run} value={each.run}>
                {runText(each)}
              </option>
            ))}
          </select>
        )}
        <span className="trace-download">
          <span className="soft small">Download</span>
          <a className="small" href={`${trace}&format=json`} download={`${id}.${run.run}.trace.json`}>
            JSON
          </a>
          <a className="small" href={`${trace}&format=jsonl`} download={`${id}.${run.run}.trace.jsonl`}>
            JSON lines
          </a>
          <a
            className="small"
            href={`${trace}&format=json&include=prompts`}
            download={`${id}.${run.run}.prompts.json`}
            title="With all that each model call was sent"
          >
            prompts
          </a>
        </span>
      </div>
      <p className="trace-why" data-tone={why.tone}>
        {/* The time that is left would be read out each second. */}
        <span aria-live="polite">{why.sentence}</span>
        {why.until === null ? null : <Until at={why.until} now={now} />}
      </p>
      <TotalsList entries={entries} groups={groups} now={now} />
    </header>
  );
}

function runText({ run, objective, state }: RunLine): string {
  const objectiveText = objective === "" ? "asked again" : oneLine(objective, OBJECTIVE_CHARS);
  return `${run.slice(1)} · ${state} · ${objectiveText}`;
}

function Until({ at, now }: { at: string; now: number }) {
  const left = Date.parse(at) - now;
  return (
    <span className="soft small trace-until">
      {" "}
      Until <time dateTime={at}>{dateText(at)}</time>
      {left > 0 ? `, ${durationText(left)} from now` : ""}
    </span>
  );
}

const runsText = ({ children, atWork }: Below): string =>
  atWork === 0 ? String(children) : `${children}, ${atWork} running`;

function TotalsList({ entries, groups, now }: Pick<RunHeadProps, "entries" | "groups" | "now">) {
  const totals = useMemo(() => totalsOf(entries, now, groups), [entries, groups, now]);
  const { limits, tokens } = totals;
  const below = useMemo(() => belowOf(entries), [entries]);
  const number = (value: number): string => value.toLocaleString("en");
  const started = entries.find((entry) => entry.kind === "run_started");
  const facts: readonly Fact[] = [
    ["Steps", limits === null ? number(totals.steps) : `${totals.steps} of ${limits.steps}`],
    ["Model calls", number(totals.modelCalls)],
    ["Tool calls", number(totals.toolCalls)],
    ["Skipped", totals.notDone === 0 ? null : number(totals.notDone)],
    ["Retries", totals.retries === 0 ? null : number(totals.retries)],
    [
      "Tokens",
      `${number(tokens.input)} in, ${number(tokens.output)} out${tokens.estimated ? ", estimated" : ""}`,
    ],
    ["Cost", totals.cost === null ? null : (costText(totals.cost / 1e6) ?? "nothing")],
    ["Sub-runs", below === null ? null : runsText(below)],
    [
      "Total with sub-runs",
      below === null
        ? null
        : wholeText(tokens.input + tokens.output + below.tokens, (totals.cost ?? 0) + below.cost),
    ],
    ["Worked", durationText(totals.workedMs)],
    ["Waited", totals.waitedMs < 1 ? null : durationText(totals.waitedMs)],
    ["Started", started === undefined ? null : <Ago key="began" at={started.at} />],
  ];
  return <Facts facts={facts} className="trace-totals" />;
}
