import { useMemo } from "react";
import type { SessionView } from "../../cairn/protocol/views.ts";
import { ApiError, ask, sentenceOf } from "../api.ts";
import { openNewSession, goTo } from "../route.ts";
import { useToast } from "../parts/toasts.tsx";
import { titleOf } from "./list.ts";
import { detailPath, dropSession, putSession } from "./use-sessions.ts";

/** Actions on a session in the list. A refusal is shown as a toast, and nothing has changed then. */
export interface Acts {
  readonly rename: (session: SessionView, title: string) => Promise<void>;
  readonly archive: (session: SessionView) => Promise<void>;
  /** A copy up to its last whole step, which is opened. */
  readonly fork: (session: SessionView) => Promise<void>;
  /** Resolves when it is gone; throws where the dialog shows why it is not. */
  readonly remove: (session: SessionView) => Promise<void>;
  /** An export as a new session, which is opened. */
  readonly bringIn: (file: File) => Promise<void>;
}

/** `open`: id of the session on the screen, or null. */
export function useActs(open: string | null): Acts {
  const showToast = useToast();
  return useMemo<Acts>(() => {
    const report = async (act: () => Promise<string>): Promise<void> => {
      try {
        showToast(await act());
      } catch (failure) {
        showToast(sentenceOf(failure), "bad");
      }
    };
    const show = (session: string): void => goTo({ at: "session", session, panel: null });
    const change = (id: string, body: object): Promise<SessionView> =>
      ask<SessionView>(detailPath(id), { method: "PATCH", body });
    return {
      rename: (session, title) =>
        report(async () => {
          // At once, and back again where it is refused.
          await putSession({ ...session, title });
          try {
            await putSession(await change(session.id, { title }));
          } catch (failure) {
            await putSession(session);
            throw failure;
          }
          return "Renamed.";
        }),
      archive: (session) =>
        report(async () => {
          const archived = !session.archived;
          await putSession(await change(session.id, { archived }));
          return archived
            ? `“${titleOf(session)}” is archived.`
            : `“${titleOf(session)}” is no longer archived.`;
        }),
      fork: (session) =>
        report(async () => {
          const copy = await ask<SessionView>(`${detailPath(session.id)}/fork`, { method: "POST", body: {} });
          await putSession(copy);
          show(copy.id);
          return "This is a copy. The original is unchanged.";
        }),
      remove: async (session) => {
        await ask(detailPath(session.id), { method: "DELETE" });
        if (session.id === open) openNewSession();
        await dropSession(session.id);
        showToast(`“${titleOf(session)}” is deleted.`);
      },
      bringIn: (file) =>
        report(async () => {
          const body = parseFile(await file.text());
          const session = await ask<SessionView>("/api/sessions/import", { method: "POST", body }).catch(
            (failure: unknown) => {
              throw failure instanceof ApiError && failure.status === 400 ? new Error(NO_EXPORT) : failure;
            },
          );
          await putSession(session);
          show(session.id);
          return "Imported as a new session.";
        }),
    };
  }, [open, showToast]);
}

const NO_EXPORT = "This file is not an exported session.";

function parseFile(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(NO_EXPORT);
  }
}
