/** What the model is shown of a long output: its head and tail, and between them what was cut. */
export function cutObservation(text: string, max: number): string {
  if (text.length <= max) return text;
  const note = (from: number, to: number): string => `\n[cut ${from}..${to} of ${text.length} characters]\n`;
  const room = max - note(text.length, text.length).length;
  const from = whole(text, Math.floor(room * 0.7));
  const to = whole(text, text.length - Math.floor(room * 0.3));
  return text.slice(0, from) + note(from, to) + text.slice(to);
}

/** The place, moved by one where it would split a surrogate pair. */
function whole(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}
