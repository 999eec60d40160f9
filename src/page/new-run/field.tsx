import type { InputHTMLAttributes, TextareaHTMLAttributes, SelectHTMLAttributes, ReactNode } from "react";
import type { RunField } from "./request.ts";

/** One field of the form, with its help and with what is wrong with it. */

interface FieldProps {
  readonly field: RunField;
  readonly label: string;
  readonly help?: string;
  readonly fault: string | undefined;
  readonly value: string;
  readonly change: (text: string) => void;
}

export const idOf = (field: RunField): string => `run-${field}`;

type Own<Attributes> = Omit<Attributes, "value" | "onChange" | "id">;

export function TextField(props: FieldProps & Own<InputHTMLAttributes<HTMLInputElement>>) {
  const { field, label, help, fault, value, change, ...more } = props;
  return (
    <Labelled field={field} label={label} help={help} fault={fault}>
      <input
        {...more}
        {...linked(field, help, fault)}
        autoComplete="off"
        value={value}
        onChange={({ target }) => change(target.value)}
      />
    </Labelled>
  );
}

export function AreaField(props: FieldProps & Own<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { field, label, help, fault, value, change, ...more } = props;
  return (
    <Labelled field={field} label={label} help={help} fault={fault}>
      <textarea
        {...more}
        {...linked(field, help, fault)}
        value={value}
        onChange={({ target }) => change(target.value)}
      />
    </Labelled>
  );
}

export function ChoiceField(props: FieldProps & Own<SelectHTMLAttributes<HTMLSelectElement>>) {
  const { field, label, help, fault, value, change, children, ...more } = props;
  return (
    <Labelled field={field} label={label} help={help} fault={fault}>
      <select
        {...more}
        {...linked(field, help, fault)}
        value={value}
        onChange={({ target }) => change(target.value)}
      >
        {children}
      </select>
    </Labelled>
  );
}

function linked(field: RunField, help: string | undefined, fault: string | undefined) {
  const id = idOf(field);
  const described = [help === undefined ? [] : `${id}-help`, fault === undefined ? [] : `${id}-fault`].flat();
  return {
    id,
    "aria-invalid": fault !== undefined || undefined,
    "aria-describedby": described.length === 0 ? undefined : described.join(" "),
  };
}

interface LabelledProps {
  readonly field: RunField;
  readonly label: string;
  readonly help: string | undefined;
  readonly fault: string | undefined;
  readonly children: ReactNode;
}

function Labelled({ field, label, help, fault, children }: LabelledProps) {
  const id = idOf(field);
  return (
    <div className="new-run-field">
      <label htmlFor={id}>{label}</label>
      {children}
      {fault === undefined ? null : (
        <p role="alert" className="small" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {help === undefined ? null : (
        <p className="soft small" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}
