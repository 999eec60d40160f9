import { createContext, use, useId, useRef, useState, type ReactNode } from "react";
import type { Json, JsonObject } from "../../core/json.ts";
import { Icon } from "../parts/icon.tsx";
import { emptyOf, isObject, labelOf, pathText, type Field, type Named } from "./schema-form.ts";

/** The controls of a form made of a schema. Each holds a value and hands on a new one; the browser says what does not fit. */

type Path = readonly (string | number)[];

interface ControlProps<Kind extends Field = Field> {
  readonly field: Kind;
  readonly value: Json;
  readonly path: Path;
  /** the name of the control where nothing else names it */
  readonly label: string;
  readonly onChange: (value: Json) => void;
  /** the first of the form gets the focus */
  readonly first?: boolean;
  /** id of what names the control, and of what is said about it */
  readonly id?: string;
  readonly describedBy?: string | undefined;
}

const Issues = createContext<ReadonlyMap<string, readonly string[]>>(new Map());
export const IssuesProvider = Issues;

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

function Simple({
  field,
  value,
  path,
  label,
  onChange,
  first = false,
  id,
  describedBy,
}: ControlProps<Extract<Field, { kind: "text" | "number" | "switch" | "choice" }>>) {
  const wrong = (use(Issues).get(pathText(path)) ?? []).length > 0;
  const named = {
    ...(id === undefined ? { "aria-label": label } : { id }),
    "aria-describedby": describedBy,
    "aria-invalid": wrong,
    autoFocus: first,
  };
  if (field.kind === "text") {
    const text = typeof value === "string" ? value : "";
    const common = {
      ...named,
      value: text,
      ...(field.max === null ? {} : { maxLength: field.max }),
    };
    return field.long ? (
      <textarea {...common} rows={4} onChange={(event) => onChange(event.target.value)} />
    ) : (
      <input type="text" {...common} onChange={(event) => onChange(event.target.value)} />
    );
  }
  if (field.kind === "number")
    return (
      <input
        type="number"
        required
        {...named}
        {...(field.min === null ? {} : { min: field.min })}
        {...(field.max === null ? {} : { max: field.max })}
        step={field.whole ? 1 : "any"}
        defaultValue={typeof value === "number" ? value : ""}
        onChange={({ target }) => {
          if (!Number.isNaN(target.valueAsNumber)) onChange(target.valueAsNumber);
        }}
      />
    );
  if (field.kind === "switch")
    return (
      <input
        type="checkbox"
        {...named}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  const at = field.options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
  return (
    <select
      {...named}
      value={at}
      onChange={({ target }) => onChange(field.options[Number(target.value)] ?? null)}
    >
      {at === -1 ? <option value={-1}>{textOf(value)}</option> : null}
      {field.options.map((option, index) => (
        <option key={index} value={index}>
          {textOf(option)}
        </option>
      ))}
    </select>
  );
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** A value that has no form of its own. What is no JSON is not handed on, and the browser keeps the form from being sent. */
export function JsonBox({
  value,
  path,
  label,
  onChange,
  first = false,
  id,
  describedBy,
}: Omit<ControlProps, "field">) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const own = (use(Issues).get(pathText(path)) ?? []).length > 0;
  return (
    <textarea
      {...(id === undefined ? { "aria-label": label } : { id })}
      aria-describedby={describedBy}
      aria-invalid={own}
      className="json-box"
      spellCheck={false}
      autoFocus={first}
      rows={Math.min(14, text.split("\n").length + 1)}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        try {
          onChange(JSON.parse(target.value) as Json);
          target.setCustomValidity("");
        } catch {
          target.setCustomValidity("This is not valid JSON yet.");
        }
      }}
    />
  );
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

function Wrong({ path, id }: { path: Path; id?: string }): ReactNode {
  const told = path.length === 0 ? [] : (use(Issues).get(pathText(path)) ?? []);
  return (
    <div id={id} role={told.length === 0 ? undefined : "alert"}>
      {told.map((text, index) => (
        <p key={index} className="small">
          {text}
        </p>
      ))}
    </div>
  );
}
