/**
 * Whether a prediction says the answer of the file, by their words alone: no model is asked. Both are made alike first;
 * then it is right where it is the answer, or has it as whole words somewhere. A right answer in other words counts as
 * wrong, and a prediction that names the answer and denies it counts as right.
 */
export function isRight(prediction: string, answer: string): boolean {
  const [said, gold] = [normalised(prediction), normalised(answer)];
  if (gold === "") return prediction.trim() === answer.trim();
  return ` ${said} `.includes(` ${gold} `);
}

/** Small letters, without accents of width, marks of evidence, punctuation, articles, and commas inside of numbers. */
export function normalised(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\[e\d+(?:\s*[,;]\s*e\d+)*\]/g, " ")
    .replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, "")
    .replace(/[\p{P}\p{S}]+/gu, " ")
    .replace(/\b(?:a|an|the)\b/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
