import { createContext, use, useCallback, useRef, useState, type ReactNode } from "react";

/** Short sentences about what was just done or refused. They are read out, and go away by themselves. */

const TOAST_MS = 6_000;

interface Toast {
  readonly key: number;
  readonly text: string;
  readonly bad: boolean;
}

type ShowToast = (text: string, as?: "good" | "bad") => void;

const ToastContext = createContext<ShowToast>(() => {});

/** Shows a toast; important messages belong in place. */
export const useToast = (): ShowToast => use(ToastContext);

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const showToast = useCallback<ShowToast>((text, as = "good") => {
    const key = (last.current += 1);
    setToasts((shown) => [...shown.slice(-2), { key, text, bad: as === "bad" }]);
    setTimeout(() => setToasts((shown) => shown.filter((toast) => toast.key !== key)), TOAST_MS);
  }, []);
  return (
    <ToastContext value={showToast}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ key, text, bad }) => (
          <p key={key} className="toast" data-bad={bad}>
            {text}
          </p>
        ))}
      </div>
    </ToastContext>
  );
}
