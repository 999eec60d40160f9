import { env } from "cloudflare:workers";

/** A database that dies at the nth batch that writes, before it or after it. */
export function dying(when: "before" | "after", nth: number): D1Database {
  let batches = 0;
  return new Proxy(env.DB, {
    get(target, name) {
      if (name !== "batch") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value as () => unknown).bind(target) : value;
      }
      return async (statements: D1PreparedStatement[]) => {
        batches += 1;
        if (batches === nth && when === "before") throw new Error("the worker died");
        const answer = await target.batch(statements);
        if (batches === nth && when === "after") throw new Error("the worker died");
        return answer;
      };
    },
  });
}
