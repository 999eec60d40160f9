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

/** The port through which requests leave: the platform's, or that of a test. */
export const fetcherOf = ({ fetcher }: { readonly fetcher?: Fetcher }): Fetcher => fetcher ?? askPlatform;

// Not handed on as it is: the platform's function must be called without a receiver.
const askPlatform: Fetcher = (url, init) => fetch(url, init);
