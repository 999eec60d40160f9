import { useState } from "react";
import { useToast } from "./toasts.tsx";
import { Icon } from "./icon.tsx";

const COPIED_MS = 1_500;

/** Copies a text to the clipboard, and confirms it. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const showToast = useToast();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      // Not over plain http, and not where the browser forbids it.
      return showToast("Your browser does not let this page copy. Select the text instead.", "bad");
    }
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      className="button quiet"
      aria-label={copied ? "Copied" : label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}
