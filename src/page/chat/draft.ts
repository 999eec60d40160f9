/** What is typed and not sent yet, for each session of this tab. */

const keyOf = (session: string): string => `cairn:draft:${session}`;

export const readDraft = (session: string): string => sessionStorage.getItem(keyOf(session)) ?? "";

export function keepDraft(session: string, text: string): void {
  if (text === "") sessionStorage.removeItem(keyOf(session));
  else sessionStorage.setItem(keyOf(session), text);
}
