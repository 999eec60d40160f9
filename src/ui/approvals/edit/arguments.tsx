import { memo, useState } from "react";
import type { Json } from "../../../core/log/json.ts";
import { revealHidden } from "../../../core/text/untrusted.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Revealed } from "../../parts/markdown/revealed.tsx";

/** Names of things by their ids. */
export type Names = ReadonlyMap<string, string>;

/**
 * The arguments of a call, as a person reads them, or as the JSON that the tool gets. An id that has a name in `names`
 * is shown by it, and stands in the details.
 */
export const Arguments = memo(function Arguments(props: {
  readonly args: Json;
  readonly label: string;
  readonly names: Names;
}) {
  const { args, label, names } = props;
  const [asJson, setAsJson] = useState(false);
  const named = [...stringsOf(args)].flatMap((id) => {
    const name = names.get(id);
    return name === undefined ? [] : [[id, name] as const];
  });
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
        <>
          <Value value={args} names={names} />
          {named.length === 0 ? null : (
            <details className="small">
              <summary>Details</summary>
              <dl className="argument-list">
                {named.map(([id, name]) => (
                  <div key={id}>
                    <dt>
                      <Revealed text={name} />
                    </dt>
                    <dd>
                      <Revealed text={id} />
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </>
      )}
    </div>
  );
});

/** Every string among the values, once. */
function stringsOf(value: Json): ReadonlySet<string> {
  if (typeof value === "string") return new Set([value]);
  if (typeof value !== "object" || value === null) return new Set();
  return new Set(Object.values(value).flatMap((each: Json) => [...stringsOf(each)]));
}

function Value({ value, names }: { value: Json; names: Names }) {
  if (value === null) return <span className="soft">nothing</span>;
  if (typeof value === "string")
    return value === "" ? (
      <span className="soft">empty text</span>
    ) : (
      <span className="argument-text">
        <Revealed text={names.get(value) ?? value} />
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
            <Value value={item} names={names} />
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
            <Value value={item} names={names} />
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
