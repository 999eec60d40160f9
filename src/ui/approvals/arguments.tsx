import { memo, useState } from "react";
import type { Json } from "../../core/json.ts";
import { JsonView } from "../parts/json-view.tsx";
import { Revealed } from "./revealed.tsx";

/** The arguments of a call, as a person reads them, or as the JSON that the tool gets. */
export const Arguments = memo(function Arguments({ args, label }: { args: Json; label: string }) {
  const [asJson, setAsJson] = useState(false);
  return (
    <section className="arguments" aria-label={label}>
      <header className="row">
        <h4>{label}</h4>
        <button className="link-button small" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
          JSON
        </button>
      </header>
      {asJson ? <JsonView value={args} label={`${label} as JSON`} /> : <Value value={args} />}
    </section>
  );
});

function Value({ value }: { value: Json }) {
  if (value === null) return <span className="soft">nothing</span>;
  if (typeof value === "string")
    return value === "" ? (
      <span className="soft">empty text</span>
    ) : (
      <span className="argument-text">
        <Revealed text={value} />
      </span>
    );
  if (typeof value !== "object") return <span>{typeof value === "boolean" ? yesNo(value) : value}</span>;
  const entries: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((item: Json, index) => [`${index + 1}`, item] as const)
    : Object.entries(value);
  if (entries.length === 0) return <span className="soft">{Array.isArray(value) ? "none" : "nothing"}</span>;
  return (
    <dl className="argument-list">
      {entries.map(([name, item]) => (
        <div key={name} data-nested={item !== null && typeof item === "object"}>
          <dt>
            <Revealed text={name} />
          </dt>
          <dd>
            <Value value={item} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const yesNo = (value: boolean): string => (value ? "yes" : "no");
