import type { Difference, Fields } from "../format.ts";
import type { SiteState, Thing } from "./state.ts";

/** How a site differs from what it was. */
export function difference(before: SiteState, after: SiteState): Difference {
  const found: Record<string, Fields | "gone"> = {};
  for (const [name, old] of before) {
    const now = after.get(name);
    if (now === undefined) found[name] = "gone";
    else {
      const changed = changedFields(old, now);
      if (Object.keys(changed).length > 0) found[name] = changed;
    }
  }
  for (const [name, now] of after) if (!before.has(name)) found[`+ ${name}`] = now;
  return found;
}

function changedFields(old: Thing, now: Thing): Fields {
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return Object.fromEntries(
    fields
      .filter((field) => shown(old[field] ?? null) !== shown(now[field] ?? null))
      .map((field) => [field, now[field] ?? null]),
  );
}

/** Where the site differs from what it should have become, each in a line; none: it has become that. */
export function misses(found: Difference, expected: Difference): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].flatMap((name) => {
    const [is, should] = [found[name], expected[name]];
    if (should === undefined) return [`unexpected: ${name} ${shown(is ?? null)}`];
    if (is === undefined) return [`missing: ${name} ${shown(should)}`];
    if (is === "gone" || should === "gone")
      return is === should ? [] : [`${name}: ${shown(is)}, not ${shown(should)}`];
    return [...new Set([...Object.keys(should), ...Object.keys(is)])].flatMap((field) => {
      const [value, wanted] = [is[field], should[field]];
      if (wanted === undefined) return [`unexpected: ${name} ${field} ${shown(value ?? null)}`];
      if (value === undefined) return [`missing: ${name} ${field} ${shown(wanted)}`];
      return shown(value) === shown(wanted)
        ? []
        : [`${name} ${field}: ${shown(value)}, not ${shown(wanted)}`];
    });
  });
}

/** The same text for the same value, in whatever order its keys stand. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
