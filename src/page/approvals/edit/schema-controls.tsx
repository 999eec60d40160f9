import { createContext, use, useState } from "react";
import type { Json } from "../../../cairn/core/log/json.ts";
import type { Names } from "../whole-text.tsx";
import { pathText, type Field } from "./schema-form.ts";

/** Controls for one value, with the server's issues; the browser reports its own. */

export type Path = readonly (string | number)[];

export interface ControlProps<Kind extends Field = Field> {
  readonly field: Kind;
  readonly value: Json;
  readonly path: Path;
  /** the name of the control where nothing else names it */
  readonly label: string;
  readonly onChange: (value: Json) => void;
  /** the first of the form gets the focus */
  readonly first?: boolean;
  /** id of its label, and of its description */
  readonly id?: string;
  readonly describedBy?: string | undefined;
}

const Issues = createContext<ReadonlyMap<string, readonly string[]>>(new Map());
export const IssuesProvider = Issues;

const KnownNames = createContext<Names>(new Map());
export const NamesProvider = KnownNames;

/** Attributes of every control: its name, its description, and whether it is invalid. */
const useNamed = ({ path, label, first = false, id, describedBy }: Omit<ControlProps, "field">) => ({
  ...(id === undefined ? { "aria-label": label } : { id }),
  "aria-describedby": describedBy,
  "aria-invalid": useIssues(path).length > 0,
  autoFocus: first,
});

const useIssues = (path: Path): readonly string[] => use(Issues).get(pathText(path)) ?? [];

export function Simple(
  props: ControlProps<Extract<Field, { kind: "text" | "number" | "switch" | "choice" }>>,
) {
  const { field, value, onChange } = props;
  const named = useNamed(props);
  const known = use(KnownNames);
  if (field.kind === "text") {
    const common = {
      ...named,
      value: typeof value === "string" ? value : "",
      ...(field.max === null ? {} : { maxLength: field.max }),
    };
    const name = known.get(common.value);
    return field.long ? (
      <textarea {...common} rows={4} onChange={(event) => onChange(event.target.value)} />
    ) : (
      <>
        <input type="text" {...common} onChange={(event) => onChange(event.target.value)} />
        {name === undefined ? null : <span className="soft small">{name}</span>}
      </>
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

/** A value without a specific control. Invalid JSON is not passed on, and the browser blocks the form. */
export function JsonBox(props: Omit<ControlProps, "field">) {
  const { value, onChange } = props;
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  return (
    <textarea
      {...useNamed(props)}
      className="json-box"
      spellCheck={false}
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

/** The issues of one field of the arguments. */
export function Wrong({ path, id }: { path: Path; id?: string }) {
  const found = useIssues(path);
  const issues = path.length === 0 ? [] : found;
  return (
    <div id={id} role={issues.length === 0 ? undefined : "alert"}>
      {issues.map((text, index) => (
        <p key={index} className="small">
          {text}
        </p>
      ))}
    </div>
  );
}
