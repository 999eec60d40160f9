import { memo, useState } from "react";
import type { Json } from "../../../core/log/json.ts";
import { revealHidden } from "../../../core/text/untrusted.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Revealed } from "../revealed.tsx";

/** The arguments of a call, as a person reads them, or as the JSON that the tool gets. */
export const Arguments = memo(function Arguments({ args, label }: { args: Json; label: string }) {
  const [asJson, setAsJson] = useState(false);
  return (
    <div className="arguments" role="group" aria-label={label}>
      <header className="row">
        <strong>{label}</strong>
        <button className="link-button small" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
          JSON
        </button>
      </header>
      {asJson ? (
        <JsonView value={revealHidden(JSON.stringify(args, null, 2))} label={`${label} as JSON`} />
      ) : (
        <Value value={args} />
      )}
    </div>
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
  if (Array.isArray(value) && value.every(isSimple))
    return value.length === 0 ? (
      <span className="soft">none</span>
    ) : (
      <ul className="argument-items">
        {value.map((item: Json, index) => (
          <li key={index}>
            <Value value={item} />
          </li>
        ))}
      </ul>
    );
  const entries: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((item: Json, index) => [`${index + 1}`, item] as const)
    : Object.entries(value);
  if (entries.length === 0) return <span className="soft">nothing</span>;
  return (
    <dl className="argument-list">
      {entries.map(([name, item]) => (
        <div key={name} data-nested={isNested(item)}>
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

const isSimple = (value: Json): boolean => value === null || typeof value !== "object";
const isNested = (value: Json): boolean =>
  !isSimple(value) && !(Array.isArray(value) && value.every(isSimple));
const yesNo = (value: boolean): string => (value ? "yes" : "no");
