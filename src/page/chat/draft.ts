/** Unsent text of each session in this tab. */

const keyOf = (session: string): string => `cairn:draft:${session}`;

export const readDraft = (session: string): string => sessionStorage.getItem(keyOf(session)) ?? "";

export function storeDraft(session: string, text: string): void {
  if (text === "") sessionStorage.removeItem(keyOf(session));
  else sessionStorage.setItem(keyOf(session), text);
}
