import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";

/** Client of the site's API. Failures that may pass are retried; a refusal has the server's message. */

const ATTEMPTS_MAX = 5;
const PAUSE_MS = 500;
/** of an answer that is read whole; a download may take as long as it takes */
const ANSWER_MS_MAX = 120_000;

const refusalSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string().nullish(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** Why it does not go on, for a person. */
export class Stopped extends Error {
  /** of the answer; null where there was none */
  readonly code: string | null;
  constructor(message: string, code: string | null = null) {
    super(message);
    this.name = "Stopped";
    this.code = code;
  }
}

export interface Ask {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly json?: object;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly form?: FormData;
  readonly headers?: { readonly [name: string]: string };
}

export interface SiteClient {
  /** an answer that is fine, its body unread */
  open(path: string, ask?: Ask): Promise<Response>;
  /** the body of an answer */
  ask<Schema extends z.ZodType>(path: string, schema: Schema, ask?: Ask): Promise<z.output<Schema>>;
}

export function createSiteClient(
  { url, token }: { readonly url: string; readonly token: string | null },
  request: typeof fetch = fetch,
): SiteClient {
  const once = async (path: string, { method = "GET", json, bytes, form, headers }: Ask, isWhole: boolean) =>
    request(new URL(path, url), {
      method,
      headers: {
        ...headers,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(bytes === undefined ? {} : { "content-type": "application/octet-stream" }),
      },
      ...(isWhole ? { signal: AbortSignal.timeout(ANSWER_MS_MAX) } : {}),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(bytes === undefined ? {} : { body: bytes }),
      ...(form === undefined ? {} : { body: form }),
    });

  const attempt = async <Value>(
    path: string,
    ask: Ask,
    isWhole: boolean,
    read: (response: Response) => Promise<Value>,
  ): Promise<Value> => {
    for (let tries = 1; ; tries++) {
      let response: Response;
      try {
        response = await once(path, ask, isWhole);
        if (response.ok) return await read(response);
      } catch (error) {
        if (error instanceof Stopped) throw error;
        if (tries >= ATTEMPTS_MAX)
          throw new Stopped(`Cairn cannot be reached at ${url}. Run the same command again to continue.`);
        await wait(PAUSE_MS * tries);
        continue;
      }
      const mayPass = response.status === 429 || response.status >= 500;
      const after = Number(response.headers.get("retry-after") ?? 0) * 1_000;
      const refused = refusalSchema.safeParse(await response.json().catch(() => null)).data?.error;
      // A rate limit is waited out however long it takes; a missing route does not appear by waiting.
      if (mayPass && response.status !== 501 && (response.status === 429 || tries < ATTEMPTS_MAX)) {
        await wait(Math.max(after, PAUSE_MS * tries));
        continue;
      }
      const issues = (refused?.issues ?? []).map((one) => `${one.path}: ${one.message}`);
      const words = [refused?.message ?? `The server answered ${response.status}.`, refused?.hint ?? ""];
      throw new Stopped([...words, ...issues].filter((one) => one !== "").join(" "), refused?.code ?? null);
    }
  };

  return {
    open: (path, ask = {}) => attempt(path, ask, false, (response) => Promise.resolve(response)),
    ask: (path, schema, ask = {}) =>
      attempt(path, ask, true, async (response) => {
        const body: unknown = await response.json();
        const parsed = schema.safeParse(body);
        if (parsed.success) return parsed.data;
        throw new Stopped("The server answers in another way than this version expects.");
      }),
  };
}
