import { useState } from "react";
import { Icon } from "./icon.tsx";

const SAID_MS = 1_500;

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  };
  return (
    <button
      className="button quiet"
      aria-label={copied ? "Copied" : label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}
