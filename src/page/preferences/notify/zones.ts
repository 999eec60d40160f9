/** Time zones, and the quiet hours that are offered first. */

export const USUAL_QUIET = { from: "22:00", to: "07:00" } as const;

/** The browser's own zone, and those to choose from; what is set is always one of them. */
export function zonesOf(set: string | null): { readonly own: string; readonly all: readonly string[] } {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const known = new Set(["UTC", own, ...Intl.supportedValuesOf("timeZone")]);
  if (set !== null) known.add(set);
  return { own, all: [...known].toSorted() };
}

export const zoneText = (zone: string): string => zone.replaceAll("_", " ");
