import { useId, useState } from "react";
import { type Json, type JsonObject, isObject, ownValue } from "../../../cairn/core/log/json.ts";
import { Icon } from "../../parts/icon.tsx";
import { JsonBox, Simple, Wrong, type ControlProps, type Path } from "./schema-controls.tsx";
import { emptyOf, fieldOf, type Field, type Named } from "./schema-form.ts";

/** The form of a value by its schema: groups and lists, which hold controls. Each is given a value and hands on a new one. */

export function Control(props: ControlProps) {
  const { field } = props;
  switch (field.kind) {
    case "group":
      return <Group {...props} field={field} />;
    case "list":
      return <List {...props} field={field} />;
    case "json":
      return <JsonBox {...props} />;
    case "text":
    case "number":
    case "switch":
    case "choice":
      return <Simple {...props} field={field} />;
  }
}

function Group({
  field,
  value,
  path,
  onChange,
  first = false,
}: ControlProps<Extract<Field, { kind: "group" }>>) {
  const object: JsonObject = isObject(value) ? value : {};
  const shown = field.fields.filter(({ name }) => ownValue(object, name) !== undefined);
  const left = field.fields.filter(({ name }) => ownValue(object, name) === undefined);
  const set = (name: string, next: Json): void => onChange({ ...object, [name]: next });
  const drop = (name: string): void =>
    onChange(Object.fromEntries(Object.entries(object).filter(([key]) => key !== name)));
  return (
    <div className="fields">
      {shown.map((each, index) => (
        <Labelled
          key={each.name}
          named={each}
          path={[...path, each.name]}
          value={ownValue(object, each.name) ?? null}
          onChange={(next) => set(each.name, next)}
          {...(each.required ? {} : { remove: () => drop(each.name) })}
          first={first && index === 0}
        />
      ))}
      {left.length === 0 ? null : (
        <details className="field-more">
          <summary>More</summary>
          <div className="row">
            {left.map((each) => (
              <button
                key={each.name}
                type="button"
                className="link-button small"
                title={each.hint ?? undefined}
                onClick={() => set(each.name, emptyOf(each.field))}
              >
                <Icon name="plus" /> {each.label}
              </button>
            ))}
          </div>
        </details>
      )}
      <Wrong path={path} />
    </div>
  );
}

interface LabelledProps {
  readonly named: Named;
  readonly path: Path;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  readonly remove?: () => void;
  readonly first: boolean;
}

function Labelled({ named, path, value, onChange, remove, first }: LabelledProps) {
  const id = useId();
  const { field, label, hint } = named;
  const isGroup = field.kind === "group" || field.kind === "list";
  const describedBy = [hint === null ? "" : `${id}-hint`, `${id}-wrong`].join(" ").trim();
  return (
    <div
      className="field"
      data-kind={field.kind}
      role={isGroup ? "group" : undefined}
      aria-label={isGroup ? label : undefined}
    >
      <div className="row field-name">
        {isGroup ? <span>{label}</span> : <label htmlFor={id}>{label}</label>}
        {hint === null ? null : (
          <span id={`${id}-hint`} className="soft small">
            {hint}
          </span>
        )}
        {remove === undefined ? null : (
          <button
            type="button"
            className="link-button small"
            aria-label={`Leave out ${label}`}
            onClick={remove}
          >
            Leave out
          </button>
        )}
      </div>
      <Control {...{ field, value, path, label, onChange, first, id, describedBy }} />
      {isGroup ? null : <Wrong path={path} id={`${id}-wrong`} />}
    </div>
  );
}

function List({
  field,
  value,
  path,
  label,
  onChange,
  first = false,
}: ControlProps<Extract<Field, { kind: "list" }>>) {
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  // An item keeps its name and its form for as long as it is there: a control holds what is being written in it.
  const [rows, setRows] = useState(() => items.map((item, key) => ({ key, field: fieldOf(field.of, item) })));
  const add = (): void => {
    const form = fieldOf(field.of, undefined);
    setRows([...rows, { key: (rows.at(-1)?.key ?? -1) + 1, field: form }]);
    onChange([...items, emptyOf(form)]);
  };
  const removeAt = (at: number): void => {
    setRows(rows.toSpliced(at, 1));
    onChange(items.toSpliced(at, 1));
  };
  return (
    <div className="field-items">
      {rows.map((row, index) => (
        <div key={row.key} className="field-item">
          <div>
            <Control
              field={row.field}
              value={items[index] ?? null}
              path={[...path, index]}
              label={`${label} ${index + 1}`}
              onChange={(next) => onChange(items.toSpliced(index, 1, next))}
              first={first && index === 0}
            />
            {row.field.kind === "group" || row.field.kind === "list" ? null : (
              <Wrong path={[...path, index]} />
            )}
          </div>
          {items.length <= field.min ? null : (
            <button
              type="button"
              className="button quiet"
              aria-label={`Remove ${label} ${index + 1}`}
              onClick={() => removeAt(index)}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
      ))}
      {field.max !== null && items.length >= field.max ? null : (
        <button type="button" className="link-button small" onClick={add}>
          <Icon name="plus" /> Add to {label.toLowerCase()}
        </button>
      )}
      <Wrong path={path} />
    </div>
  );
}
