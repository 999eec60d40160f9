import { Suspense, useCallback } from "react";
import useSWR from "swr";
import { ask, ME, sentenceOf, useAnswer } from "./api.ts";
import { part } from "./parts/part.ts";
import { endPushHere } from "./preferences/push.ts";
import { useSharedToken } from "./route.ts";
import { SignIn } from "./welcome/sign-in.tsx";
import { Misconfigured } from "./welcome/misconfigured.tsx";
import { Shell } from "./shell.tsx";
import { WhoProvider, type Health, type Me } from "./who.tsx";

const SharedPage = part(() => import("./shared/shared-page.tsx"));

/** A read-only link shows what it was made for to anybody; everything else is for who is known. */
export function App() {
  const shared = useSharedToken();
  if (shared === null) return <OwnPage />;
  return (
    <Suspense fallback={<main className="alone" aria-busy="true" />}>
      <SharedPage token={shared} />
    </Suspense>
  );
}

/** Identity comes first: then the page, a prompt for a token, or what is wrong with the configuration. */
function OwnPage() {
  const health = useSWR<Health, Error>("/healthz", fetchHealth);
  const me = useAnswer<Me>(ME);
  const signIn = useCallback(
    async (token: string) => {
      await ask("/api/auth/cookie", { method: "POST", token });
      await me.mutate();
    },
    [me],
  );
  const signOut = useCallback(async () => {
    await endPushHere();
    await ask("/api/auth/cookie", { method: "DELETE" });
    location.reload();
  }, []);

  if (health.data?.status === "misconfigured") return <Misconfigured health={health.data} />;
  // Also when a cookie has ended under an open page.
  if (health.data !== undefined && me.error?.status === 401)
    return <SignIn health={health.data} signIn={signIn} />;
  if (health.data !== undefined && me.data !== undefined)
    return (
      <WhoProvider value={{ health: health.data, me: me.data, signOut }}>
        <Shell />
      </WhoProvider>
    );
  const failure = health.error ?? me.error;
  return (
    <main className="alone" aria-busy={failure === undefined}>
      {failure === undefined ? null : <p role="alert">{sentenceOf(failure)}</p>}
    </main>
  );
}

/** The route answers 503 with the same body if something is misconfigured. */
async function fetchHealth(path: string): Promise<Health> {
  const response = await fetch(path).catch(() => null);
  if (response === null) throw new Error("Cairn does not answer. Is it running, and are you online?");
  return (await response.json()) as Health;
}
