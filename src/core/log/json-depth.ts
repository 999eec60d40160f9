/** Levels of lists and objects that a value from outside may have. Whatever walks one by recursion has stack for more. */
export const JSON_DEPTH_MAX = 100;

/**
 * Whether lists and objects stand in one another more than JSON_DEPTH_MAX levels deep. It walks level by level, because
 * what JSON.parse has read may be deeper than any stack.
 */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(holdsMore);
  for (let depth = 1; depth <= JSON_DEPTH_MAX; depth += 1) {
    level = level.flatMap((holder) => Object.values(holder).filter(holdsMore));
    if (level.length === 0) return false;
  }
  return true;
}

function holdsMore(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
