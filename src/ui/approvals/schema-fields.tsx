import { useId, useRef } from "react";
import type { Json, JsonObject } from "../../core/json.ts";
import { Icon } from "../parts/icon.tsx";
import { JsonBox, Simple, Wrong, type ControlProps, type Path } from "./schema-controls.tsx";
import { emptyOf, isObject, labelOf, type Field, type Named } from "./schema-form.ts";

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
  const shown = field.fields.filter(({ name }) => object[name] !== undefined);
  const left = field.fields.filter(({ name }) => object[name] === undefined);
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
          value={object[each.name] ?? null}
          onChange={(next) => set(each.name, next)}
          {...(each.required ? {} : { remove: () => drop(each.name) })}
          first={first && index === 0}
        />
      ))}
      {left.length === 0 ? null : (
        <div className="row field-more">
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
      )}
      <Wrong path={path} />
    </div>
  );
}

function Labelled({
  named,
  path,
  value,
  onChange,
  remove,
  first,
}: {
  readonly named: Named;
  readonly path: Path;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  readonly remove?: () => void;
  readonly first: boolean;
}) {
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
  // Controls keep what is being written in them, so an item has a name of its own for as long as the form is there.
  const names = useRef<number[]>([]);
  while (names.current.length < items.length) names.current.push((names.current.at(-1) ?? 0) + 1);
  const one = labelOf(label).replace(/s$/, "").toLowerCase();
  const removeAt = (at: number): void => {
    names.current.splice(at, 1);
    onChange(items.toSpliced(at, 1));
  };
  return (
    <div className="field-items">
      {items.map((item, index) => (
        <div key={names.current[index]} className="field-item">
          <div>
            <Control
              field={field.item}
              value={item}
              path={[...path, index]}
              label={`${label} ${index + 1}`}
              onChange={(next) => onChange(items.toSpliced(index, 1, next))}
              first={first && index === 0}
            />
            {field.item.kind === "group" || field.item.kind === "list" ? null : (
              <Wrong path={[...path, index]} />
            )}
          </div>
          {items.length <= field.min ? null : (
            <button
              type="button"
              className="button quiet"
              aria-label={`Remove ${one} ${index + 1}`}
              onClick={() => removeAt(index)}
            >
              <Icon name="close" />
            </button>
          )}
        </div>
      ))}
      {field.max !== null && items.length >= field.max ? null : (
        <button
          type="button"
          className="link-button small"
          onClick={() => onChange([...items, emptyOf(field.item)])}
        >
          <Icon name="plus" /> Add a {one}
        </button>
      )}
      <Wrong path={path} />
    </div>
  );
}
