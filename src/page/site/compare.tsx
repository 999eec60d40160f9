import { useEffect, useRef } from "react";
import { sentenceOf, useAnswer } from "../api.ts";

/** A page or entry of a change set, to be looked at as it is and as it will be. */
export interface Compared {
  readonly set: string;
  readonly what: string;
  /** null: the deployment's own */
  readonly environment: string | null;
  readonly draft: { readonly type: "page" | "entry"; readonly id: string };
}

/** Both side by side, or one above the other where there is no room; in frames that may run nothing. */
export function Compare({ compared, close }: { readonly compared: Compared; readonly close: () => void }) {
  const { set, what, environment, draft } = compared;
  const of = environment === null ? "" : `&environment=${environment}`;
  const link = `/api/cms/preview-link?type=${draft.type}&id=${encodeURIComponent(draft.id)}${of}`;
  const once = { revalidateOnFocus: false, revalidateOnReconnect: false, shouldRetryOnError: false };
  // A page that the set creates does not exist before it.
  const before = useAnswer<{ url: string }>(link, once);
  const after = useAnswer<{ url: string }>(`${link}&set=${set}`, once);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="compare" aria-label={`${what}, before and after`} onClose={close}>
      <header className="compare-head">
        <h2>{what}</h2>
        <button className="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <div className="compare-sides">
        <Side
          name="Live now"
          url={before.data === undefined ? null : publicUrl(before.data.url)}
          none={before.error === undefined ? null : "Doesn't exist yet."}
        />
        <Side
          name="With these changes"
          url={after.data?.url ?? null}
          none={after.error === undefined ? null : gone(after.error)}
        />
      </div>
    </dialog>
  );
}

/** The address that visitors use: without the token that shows the draft. */
function publicUrl(url: string): string {
  const address = new URL(url);
  address.search = "";
  return address.href;
}

const gone = (error: unknown): string =>
  (error as { status?: number }).status === 404 ? "It is deleted." : sentenceOf(error);

function Side({
  name,
  url,
  none,
}: {
  readonly name: string;
  readonly url: string | null;
  readonly none: string | null;
}) {
  return (
    <section aria-label={name} aria-busy={url === null && none === null}>
      <h3>{name}</h3>
      {url === null ? (
        none === null ? null : (
          <p className="soft">{none}</p>
        )
      ) : (
        <iframe src={url} sandbox="allow-same-origin" referrerPolicy="no-referrer" title={name} />
      )}
    </section>
  );
}
