import { useEffect, useRef } from "react";
import type { Answer } from "../../cairn/protocol/api.ts";
import { BUILT_INS } from "../../cairn/protocol/run-spec/tools.ts";
import { packsOf } from "./packs.ts";

type Tool = Answer<"Tools">["items"][number];

interface ToolChoiceProps {
  /** names of those that its agent has */
  readonly offered: readonly string[];
  readonly known: readonly Tool[];
  /** null: all of them */
  readonly chosen: readonly string[] | null;
  readonly choose: (tools: readonly string[] | null) => void;
  readonly fault: string | undefined;
}

/** Which of its agent's tools a run may use, by pack. The built-in ones are always there. */
export function ToolChoice({ offered, known, chosen, choose, fault }: ToolChoiceProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (fault !== undefined && details.current !== null) details.current.open = true;
  }, [fault]);
  const own = offered.filter((name) => !BUILT_INS.includes(name));
  const picked = new Set(chosen ?? own);
  const set = (names: readonly string[], isOn: boolean): void => {
    const after = own.filter((name) => (names.includes(name) ? isOn : picked.has(name)));
    choose(after.length === own.length ? null : after);
  };
  const count = own.filter((name) => picked.has(name)).length;
  return (
    <fieldset
      className="new-run-tools"
      aria-describedby={fault === undefined ? undefined : "run-tools-fault"}
    >
      <legend>Tools</legend>
      <details ref={details}>
        <summary id="run-tools">
          {count === own.length ? `All ${own.length} that the agent has` : `${count} of ${own.length}`}
        </summary>
        {packsOf(own, known).map(({ pack, tools }) => {
          const names = tools.map(({ name }) => name);
          const on = names.filter((name) => picked.has(name)).length;
          return (
            <div key={pack} role="group" aria-label={`Pack ${pack}`} className="new-run-pack">
              <PackBox
                pack={pack}
                state={on === 0 ? "none" : on === names.length ? "all" : "some"}
                set={(isOn) => set(names, isOn)}
              />
              <ul>
                {tools.map(({ name, title }) => (
                  <li key={name}>
                    <label className="new-run-tick">
                      <input
                        type="checkbox"
                        checked={picked.has(name)}
                        onChange={({ target }) => set([name], target.checked)}
                      />
                      <span>
                        {title} <code className="soft">{name}</code>
                      </span>
                    </label>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
        <p className="soft small">Always there: memory, plan, questions to you and the end of the run.</p>
      </details>
      {fault === undefined ? null : (
        <p role="alert" id="run-tools-fault">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

interface PackBoxProps {
  readonly pack: string;
  readonly state: "none" | "some" | "all";
  readonly set: (isOn: boolean) => void;
}

function PackBox({ pack, state, set }: PackBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = state === "some";
  }, [state]);
  return (
    <label className="new-run-tick">
      <input
        ref={box}
        type="checkbox"
        checked={state === "all"}
        onChange={({ target }) => set(target.checked)}
      />
      <strong>All of {pack}</strong>
    </label>
  );
}
