/** How the packs of the web read what the operator has set. A value of the shell is text, one of TOML may be what it is. */

/** A name of a host, in small letters. */
export const HOST_NAME = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** Whatever is not plainly on is off. */
export const isOn = (value: unknown): boolean =>
  value === true || (typeof value === "string" && ["on", "1", "true"].includes(value.trim().toLowerCase()));

/** Empty where nothing is set. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** The address of a service, without a slash at its end: the operator's own, else the usual one. */
export const baseUrlOf = (own: unknown, usual: string): string => (textOf(own) || usual).replace(/\/+$/, "");

/** A table, as JSON text or of TOML; undefined where nothing is set, null where it cannot be read. */
export function tableOf(value: unknown): unknown {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** As the platform's `fetch`. Tests give one that leads to a server on this machine. */
export type Fetcher = (url: string, init: RequestInit) => Promise<Response>;

/** Through what requests leave. */
export interface FetcherBindings {
  /** not a variable: the port of a test */
  readonly fetcher?: Fetcher;
  /** the server of invented pages of `npm start -- --demo-web`, such as `http://127.0.0.1:40123` */
  readonly DEMO_WEB?: unknown;
  readonly LOCAL_KEY?: unknown;
}

/** The port through which requests leave: the platform's, or that of a test. */
export function fetcherOf({
  fetcher = askPlatform,
  DEMO_WEB: demo,
  LOCAL_KEY: key,
}: FetcherBindings): Fetcher {
  // Without the key of `npm start`, a deployment that has the variable by accident ignores it.
  return DEMO_SERVER.test(textOf(demo)) && textOf(key) !== "" ? withDemoWeb(textOf(demo), fetcher) : fetcher;
}

/** This machine, and nothing else. */
const DEMO_SERVER = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;
/** A name that no public server has (RFC 2606). */
const DEMO_HOST = /\.example$/;

/** Leads requests to invented hosts to their server. The judge of addresses has seen each before, and sees each redirect. */
const withDemoWeb =
  (server: string, otherwise: Fetcher): Fetcher =>
  (url, init) => {
    const { hostname, pathname, search } = new URL(url);
    if (!DEMO_HOST.test(hostname)) return otherwise(url, init);
    const headers = new Headers(init.headers);
    headers.set("x-demo-host", hostname);
    return otherwise(`${server}${pathname}${search}`, { ...init, headers });
  };

// Not handed on as it is: the platform's function must be called without a receiver.
const askPlatform: Fetcher = (url, init) => fetch(url, init);
