import { useCallback, useState } from "react";
import { sentenceOf } from "../api.ts";

/** Runs one action at a time; a refusal is shown in place until the next try. */
export function useAct(): {
  readonly busy: boolean;
  /** null: nothing went wrong */
  readonly fault: string | null;
  readonly setFault: (fault: string | null) => void;
  /** Resolves to whether it was done. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const run = useCallback(async (act: () => Promise<unknown>) => {
    setBusy(true);
    setFault(null);
    try {
      await act();
      return true;
    } catch (failure) {
      setFault(sentenceOf(failure));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, fault, setFault, run };
}
