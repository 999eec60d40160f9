/** the checks of one review read the answer and the request, each many times */
const TEXTS_KEPT = 8;

/** A pure function of a text that keeps its answers for the last few texts. What it answers must not be changed. */
export function rememberLast<Answer>(read: (text: string) => Answer): (text: string) => Answer {
  const kept = new Map<string, Answer>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const answer = read(text);
    const [oldest] = kept.keys();
    if (kept.size >= TEXTS_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(text, answer);
    return answer;
  };
}
