import { useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { curlOf, type Body } from "./request.ts";

/** The form's request as a program or a shell would send it. */
export function AsRequest({ body }: { body: Body }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="new-run-request" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>As JSON, and as a curl command</summary>
      {!open ? null : body.ok ? (
        <>
          <Shown name="JSON" text={JSON.stringify(body.body, null, 2)} />
          <Shown name="curl" text={curlOf(body.body, location.origin)} />
        </>
      ) : (
        <p className="soft small">{Object.values(body.faults).join(" ")}</p>
      )}
    </details>
  );
}

function Shown({ name, text }: { name: string; text: string }) {
  return (
    <figure>
      <figcaption className="row">
        <span className="soft small">{name}</span>
        <CopyButton text={() => text} label={`Copy the ${name}`} />
      </figcaption>
      <JsonView value={text} label={`The run as ${name}`} />
    </figure>
  );
}
