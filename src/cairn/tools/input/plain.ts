/** A part of a value that JSON cannot store and give back as it was. */
export interface Unplain {
  readonly path: readonly (string | number)[];
  /** with its article, such as `a Date` */
  readonly what: string;
  /** NaN and the infinities: the arguments are wrong, not the schema */
  readonly isNumber: boolean;
}

const DEPTH_MAX = 100;

/** The first part that would be another value after it was stored as JSON, or null. Fields that are undefined are dropped. */
export function findUnplain(value: unknown, path: Unplain["path"] = []): Unplain | null {
  const found = (what: string, isNumber = false): Unplain => ({ path, what, isNumber });
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : found("no finite number", true);
  if (value === undefined) return found("undefined");
  if (typeof value !== "object") return found(`a ${typeof value}`);
  if (path.length >= DEPTH_MAX) return found("nested too deep");
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const inside = findUnplain(item, [...path, index]);
      if (inside !== null) return inside;
    }
    return null;
  }
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== null && kind !== Object.prototype) {
    const maker: unknown = value.constructor;
    return found(`a ${typeof maker === "function" && maker.name !== "" ? maker.name : "class instance"}`);
  }
  for (const [key, item] of Object.entries(value)) {
    const inside = item === undefined ? null : findUnplain(item, [...path, key]);
    if (inside !== null) return inside;
  }
  return null;
}
