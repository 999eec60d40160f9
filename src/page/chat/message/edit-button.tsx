import type { SessionView } from "../../../cairn/protocol/views.ts";
import { ask, sentenceOf } from "../../api.ts";
import { useCommands } from "../../open-session/live.tsx";
import { Icon } from "../../parts/icon.tsx";
import { goTo, newSessionId } from "../../route.ts";
import { useToast } from "../../parts/toasts.tsx";
import { storeDraft } from "../draft.ts";

/** Opens a copy of the session up to this message, with its text in the box. This session stays as it is. */
export function EditButton({ seq, text }: { seq: number; text: string }) {
  const { id } = useCommands();
  const showToast = useToast();
  const edit = async (): Promise<void> => {
    try {
      const copy = await copyBefore(id, seq);
      storeDraft(copy, text);
      goTo({ at: "session", session: copy, panel: null });
    } catch (failure) {
      showToast(sentenceOf(failure), "bad");
    }
  };
  return (
    <button
      className="button quiet"
      aria-label="Edit in a copy"
      title="Edit in a copy of the session"
      onClick={() => void edit()}
    >
      <Icon name="edit" />
    </button>
  );
}

/** Before the first message there is nothing to copy. */
async function copyBefore(session: string, seq: number): Promise<string> {
  if (seq <= 1) return newSessionId();
  const body = { atSeq: seq - 1 };
  return (await ask<SessionView>(`/api/sessions/${session}/fork`, { method: "POST", body })).id;
}
