import * as z from "zod";

/** Response of `GET /healthz`, as far as the CLI reads it. */
const health = z.object({
  status: z.enum(["ok", "misconfigured"]),
  service: z.literal("cairn"),
  model: z.string().nullish(),
  rules: z.boolean().nullish(),
  auth: z.enum(["tokens", "anonymous", "none"]).nullish(),
  panels: z.array(z.string()).nullish(),
  /** names of variables that plugins declare as secrets; a deployment does not publish them */
  secrets: z.array(z.string()).nullish(),
  problems: z.array(z.object({ variable: z.string(), message: z.string() })).nullish(),
});
export type Health = z.infer<typeof health>;

/** True where the deployment has a website. */
export const hasSite = ({ panels }: Health): boolean => panels?.includes("site") === true;

export type HealthAnswer =
  | { readonly kind: "cairn"; readonly health: Health }
  /** something else listens there */
  | { readonly kind: "stranger" }
  | { readonly kind: "nobody" };

const ANSWER_MS_MAX = 10_000;

/** Asks who listens at a base URL. Never throws. */
export async function fetchHealth(url: string, msMax = ANSWER_MS_MAX): Promise<HealthAnswer> {
  let response;
  try {
    response = await fetch(new URL("/healthz", url), { signal: AbortSignal.timeout(msMax) });
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError"
      ? { kind: "stranger" }
      : { kind: "nobody" };
  }
  const body: unknown = await response.json().catch(() => null);
  const parsed = health.safeParse(body);
  return parsed.success ? { kind: "cairn", health: parsed.data } : { kind: "stranger" };
}
