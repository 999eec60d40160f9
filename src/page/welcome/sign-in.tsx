import { useId } from "react";
import { useAct } from "../parts/use-act.ts";
import type { Health } from "../who.tsx";

/** Asks for a token of AUTH_TOKENS; a cookie that no script can read stores it for half a day. */
export function SignIn({ health, signIn }: { health: Health; signIn: (token: string) => Promise<void> }) {
  const { busy, fault, run } = useAct();
  const field = useId();

  const submit = async (form: FormData): Promise<void> => {
    const token = form.get("token");
    if (typeof token !== "string" || token.trim() === "") return;
    await run(() => signIn(token.trim()));
  };

  return (
    <main className="alone">
      <form
        className="card stack"
        onSubmit={(event) => {
          // Not as an action: React would empty the field also when the token was refused.
          event.preventDefault();
          void submit(new FormData(event.currentTarget));
        }}
      >
        <header className="row">
          <img src="/cairn.svg" alt="" width="40" height="40" />
          <h1>Cairn</h1>
        </header>
        {health.auth === "none" ? (
          <p>
            Nobody can sign in yet: set the secret <code>AUTH_TOKENS</code>, as <code>docs/deploy.md</code> of
            Cairn says.
          </p>
        ) : (
          <>
            <label htmlFor={field}>Your token</label>
            <input
              id={field}
              name="token"
              type="password"
              autoComplete="current-password"
              required
              aria-describedby={`${field}-says`}
            />
            <p id={`${field}-says`} className="soft small">
              Ask your admin for a token.
            </p>
            {fault === null ? null : <p role="alert">{fault}</p>}
            <button className="button primary" disabled={busy}>
              Sign in
            </button>
          </>
        )}
      </form>
    </main>
  );
}
