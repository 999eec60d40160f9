import type { Socket } from "./connection.ts";

/** Node's own WebSocket, which takes headers; its declaration here is the Workers one, which does not. */
type HeaderSocket = new (
  url: string,
  options: { readonly headers: { readonly [name: string]: string } },
) => Socket & { binaryType: string };

/** Opens `/agents/session/<name>` of a deployment, with the bearer token if there is one. */
export function openSocket(url: string, session: string, token: string | null): Socket {
  const address = new URL(`/agents/session/${encodeURIComponent(session)}`, url);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const Opened = globalThis.WebSocket as unknown as HeaderSocket;
  return new Opened(address.href, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
}
