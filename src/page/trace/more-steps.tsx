import { useEffect, useRef } from "react";

/** So far before one comes to it. */
const AHEAD = "600px";

interface MoreStepsProps {
  readonly count: number;
  readonly where: "earlier" | "later";
  readonly more: () => void;
}

/** Loads more of a long list: on scroll, or by hand. */
export function MoreSteps({ count, where, more }: MoreStepsProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const own = button.current;
    // Earlier ones would push away what one reads: those come by hand.
    if (own === null || where === "earlier") return;
    const near = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more();
      },
      { root: own.closest(".beside"), rootMargin: AHEAD },
    );
    near.observe(own);
    return () => near.disconnect();
    // After each load the observer starts again, because the end may still be near.
  }, [where, more, count]);
  return (
    <button ref={button} className="button trace-more" onClick={more}>
      {count.toLocaleString("en")} {where} {count === 1 ? "step" : "steps"}
    </button>
  );
}
