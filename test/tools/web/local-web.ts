import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { accessOf, type AccessBindings, type WebAccess } from "../../../src/tools/web/access.ts";
import type { Fetcher } from "../../../src/tools/web/bindings.ts";

/**
 * A web on this machine: names that look public lead to one server here. The judge of addresses is the one that ships;
 * only the port through which a judged request leaves is another.
 */

export const PUBLIC_ADDRESS = "93.184.215.14";

type Answer = (
  request: IncomingMessage & { readonly host: string; readonly path: string },
  response: ServerResponse,
) => void;

export interface LocalWeb {
  readonly access: WebAccess;
  /** requests of pages that arrived, as `GET host/path` */
  readonly asked: string[];
  /** headers of the last of them */
  readonly headers: () => IncomingMessage["headers"];
  /** names that were looked up, with the type */
  readonly looked: string[];
  readonly fetcher: Fetcher;
  close(): Promise<void>;
}

/** What a name leads to; PUBLIC_ADDRESS where it is not listed, unknown where it is null. */
export type Names = Readonly<Record<string, readonly string[] | null>>;

export async function startWeb(
  answer: Answer,
  { names = {}, env = {} }: { readonly names?: Names; readonly env?: AccessBindings } = {},
): Promise<LocalWeb> {
  const asked: string[] = [];
  const looked: string[] = [];
  let last: IncomingMessage["headers"] = {};
  const server: Server = createServer((request, response) => {
    const host = String(request.headers["x-host"]);
    last = request.headers;
    asked.push(`${request.method} ${host}${request.url}`);
    answer(Object.assign(request, { host, path: request.url ?? "/" }), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fetcher: Fetcher = async (url, init) => {
    const { hostname, pathname, search, searchParams } = new URL(url);
    if (hostname === "dns.example.net") {
      const name = searchParams.get("name") ?? "";
      const type = searchParams.get("type");
      looked.push(`${name} ${type}`);
      return Response.json(dnsAnswer(names[name], type === "A" ? 1 : 28));
    }
    const headers = { ...(init.headers as Record<string, string>), "x-host": hostname };
    return await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { ...init, headers });
  };
  return {
    access: accessOf({ WEB_DNS_URL: "https://dns.example.net/dns-query", ...env, fetcher }),
    asked,
    looked,
    fetcher,
    headers: () => last,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function dnsAnswer(addresses: readonly string[] | null = [PUBLIC_ADDRESS], type: number): object {
  if (addresses === null) return { Status: 3 };
  const own = addresses.filter((address) => address.includes(":") === (type === 28));
  const alias = { type: 5, data: "alias.example." };
  return { Status: 0, Answer: [alias, ...own.map((data) => ({ type, data }))] };
}
