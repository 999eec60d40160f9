import { lazy, Suspense, useEffect, useState, type ComponentType } from "react";
import { CopyButton } from "../copy-button.tsx";
import { fetchPart } from "../part.ts";

interface Code {
  readonly text: string;
  readonly language: string;
}

const Plain = ({ text }: Code) => text;
// Without it the code is still to be read.
const Coloured = lazy<ComponentType<Code>>(() =>
  fetchPart(() => import("./coloured-code.tsx")).catch(() => ({ default: Plain })),
);

/** Code that still grows is not coloured. */
const STILL_MS = 300;
/** characters; highlighting more is too slow */
const COLOURED_CHARS_MAX = 20_000;

/** A block of code: its language, a copy button, and colors once it has stopped growing. */
export function CodeBlock({ text, language }: Code) {
  const still = useStill(text);
  const coloured = still && language !== "" && text.length <= COLOURED_CHARS_MAX;
  return (
    <div className="code">
      <div className="code-head">
        <span className="small soft">{language}</span>
        <CopyButton text={() => text} label="Copy the code" />
      </div>
      <pre tabIndex={0} aria-label={language === "" ? "Code" : `Code, ${language}`} dir="ltr">
        <code>
          {coloured ? (
            <Suspense fallback={text}>
              <Coloured text={text} language={language} />
            </Suspense>
          ) : (
            text
          )}
        </code>
      </pre>
    </div>
  );
}

function useStill(text: string): boolean {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), STILL_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled === text;
}
