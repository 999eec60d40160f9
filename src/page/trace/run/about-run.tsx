import { useState, type ReactNode } from "react";
import type { BodyOf } from "../../../cairn/core/log/entry.ts";
import { revealHidden } from "../../../cairn/core/text/untrusted.ts";
import { effectWords } from "../../../cairn/protocol/effect-words.ts";
import type { Event, RunView } from "../../../cairn/protocol/views.ts";
import { limitLines } from "../../agents/limit-words.ts";
import { Facts } from "../../parts/facts.tsx";
import { modelName } from "../../log-text/codes.ts";
import { requestFacts } from "./request-facts.ts";
import { JsonFigure } from "./json-figure.tsx";
import "./run.css";
import { useAnswer } from "../../api.ts";
import { Failed } from "../../parts/failed.tsx";

interface AboutRunProps {
  /** full id */
  readonly id: string;
  readonly objective: string;
  readonly entries: readonly Event[];
}

/** A run's requested settings, the applied settings, and its result. Drawn when it is unfolded. */
export function AboutRun({ id, objective, entries }: AboutRunProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="about-run" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Request, permissions and result</summary>
      {open ? <Parts id={id} objective={objective} entries={entries} /> : null}
    </details>
  );
}

function Parts({ id, objective, entries }: AboutRunProps) {
  const queued = entries.find((entry) => entry.kind === "run_queued");
  const started = entries.find((entry) => entry.kind === "run_started");
  const ended = entries.find((entry) => entry.kind === "run_ended");
  return (
    <div className="about-run-parts">
      {queued?.kind === "run_queued" ? <RequestPart body={queued.body} objective={objective} /> : null}
      {started?.kind === "run_started" ? (
        <GivenPart body={started.body} />
      ) : (
        <Part name="May use">
          <p className="soft">It has not started. Its tools are set when it starts.</p>
        </Part>
      )}
      <Part name="Result">
        {ended === undefined ? <p className="soft">It has not ended yet.</p> : <RunResult id={id} />}
      </Part>
    </div>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="about-run-part" role="group" aria-label={name}>
      <h3>{name}</h3>
      {children}
    </div>
  );
}

function RequestPart({ body, objective }: { body: BodyOf<"run_queued">; objective: string }) {
  const { facts, warnings } = requestFacts(body);
  const { instructions, objectiveTemplate, output, metadata } = body.spec;
  return (
    <Part name="Asked">
      <Words name="Objective" text={objective} />
      <Facts facts={facts} className="about-run-facts" />
      <Words name="Prompt template" text={objectiveTemplate ?? ""} />
      <Words name="Instructions" text={instructions} />
      {output === null ? null : <JsonFigure name="Form of the result (JSON Schema)" value={output} />}
      {metadata === null ? null : <JsonFigure name="Metadata" value={metadata} />}
      {warnings.length === 0 ? null : (
        <div className="about-run-warnings">
          <p>Changed from the request:</p>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{revealHidden(warning)}</li>
            ))}
          </ul>
        </div>
      )}
      <details>
        <summary className="soft">Raw JSON</summary>
        <JsonFigure name="Specification" value={body.spec} />
      </details>
    </Part>
  );
}

function GivenPart({ body: { grant, notOffered, limits, model } }: { body: BodyOf<"run_started"> }) {
  return (
    <Part name="May use">
      <Facts
        facts={[["Model", modelName(model)], ...limitLines({ ...limits })]}
        className="about-run-facts"
      />
      <details>
        <summary>{grant.length === 1 ? "1 tool" : `${grant.length} tools`}</summary>
        <ul className="about-run-tools" aria-label="Tools that it may use">
          {grant.map(({ tool, effect }) => (
            <li key={tool}>
              <code>{tool}</code> <span className="soft">{effectWords(effect)}</span>
            </li>
          ))}
        </ul>
      </details>
      {notOffered.length === 0 ? null : (
        <>
          <p className="soft">Not offered:</p>
          <ul className="about-run-tools" aria-label="Tools that were not offered">
            {notOffered.map(({ tool, why }) => (
              <li key={tool}>
                <code>{tool}</code> <span className="soft">{why}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  );
}

function Words({ name, text }: { name: string; text: string }) {
  if (text.trim() === "") return null;
  return (
    <figure>
      <figcaption className="soft">{name}</figcaption>
      <p className="about-run-words" tabIndex={0}>
        {revealHidden(text)}
      </p>
    </figure>
  );
}

/** The result of an ended run as programs get it. */
function RunResult({ id }: { id: string }) {
  const { data, error, mutate } = useAnswer<Pick<RunView, "result">>(`/api/runs/${id}`);
  if (error !== undefined) return <Failed failure={error} again={() => void mutate()} />;
  if (data === undefined) return <div aria-busy="true" />;
  return data.result === null ? (
    <p className="soft">It has no result.</p>
  ) : (
    <JsonFigure name="Result as JSON" value={data.result} />
  );
}
