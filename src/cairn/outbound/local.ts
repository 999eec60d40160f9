import { textOf } from "./bindings.ts";

/** The machine itself alone: what is plain http must not leave it. */
const LOCAL = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/;

/**
 * The origins in a comma list such as `http://127.0.0.1:3001`, and whether each entry of the list is one of this machine. An
 * operator names them while a deployment is developed: `MCP_LOCAL`, `HTTP_LOCAL`.
 */
export function localOrigins(value: unknown): {
  readonly origins: readonly string[];
  readonly isValid: boolean;
} {
  const entries = textOf(value)
    .split(",")
    .map((entry) => entry.trim().replace(/\/$/, ""))
    .filter((entry) => entry !== "");
  const origins = entries.filter((origin) => LOCAL.test(origin) && URL.canParse(origin));
  return {
    // As the parser writes them: without the port of the protocol.
    origins: origins.map((origin) => new URL(origin).origin),
    isValid: origins.length === entries.length,
  };
}

/** True for an address of this machine, whether or not an operator has named it. */
export const isLocalAddress = (url: string): boolean => URL.canParse(url) && LOCAL.test(new URL(url).origin);

/** A sentence for a list with another entry. */
export const LOCAL_WRONG = "It lists origins of this machine, such as http://127.0.0.1:3001.";
