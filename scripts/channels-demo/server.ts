import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A local vendor: answers calls, and fails on demand as vendors do. */

export interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Ways in which one call fails. The first two have no effect at the vendor; the last two have the effect, but the
 * response is lost.
 */
export type Mishap =
  | { readonly kind: "answer"; readonly reply: Reply }
  | { readonly kind: "gateway"; readonly status: number }
  | { readonly kind: "lost" }
  | { readonly kind: "silent" };

export interface VendorServer {
  readonly url: string;
  /** every call that came, also those that failed */
  readonly calls: Call[];
  /** The next call of a method ends so; several wait in line. */
  fail(method: string, mishap: Mishap): void;
  close(): Promise<void>;
}

export interface Vendor {
  /** the method that a path names; null where it is a file */
  readonly methodOf: (path: string) => string | null;
  readonly answer: (call: Call) => Reply;
  readonly file: (
    path: string,
    headers: Call["headers"],
  ) => { status: number; bytes: Uint8Array } | Promise<{ status: number; bytes: Uint8Array }>;
}

export async function startVendor(vendor: Vendor, port = 0): Promise<VendorServer> {
  const calls: Call[] = [];
  const mishaps: { method: string; mishap: Mishap }[] = [];
  const take = (method: string): Mishap | undefined => {
    const at = mishaps.findIndex((each) => each.method === method);
    return at < 0 ? undefined : mishaps.splice(at, 1)[0]?.mishap;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "/";
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
    );
    const method = vendor.methodOf(path);
    if (method === null) {
      const { status, bytes } = await vendor.file(path, headers);
      response.writeHead(status, { "content-type": "application/octet-stream" }).end(bytes);
      return;
    }
    const call = {
      method,
      headers,
      parameters: parametersOf(await readBody(request), headers["content-type"]),
    };
    calls.push(call);
    const mishap = take(method);
    if (mishap?.kind === "answer") {
      sendJson(response, mishap.reply);
      return;
    }
    if (mishap?.kind === "gateway") {
      response.writeHead(mishap.status, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
      return;
    }
    const reply = vendor.answer(call);
    if (mishap?.kind === "lost") request.socket.destroy();
    else if (mishap === undefined) sendJson(response, reply);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    fail: (method, mishap) => void mishaps.push({ method, mishap }),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function sendJson(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parametersOf(body: string, type: string | undefined): Record<string, unknown> {
  if (type?.startsWith("application/x-www-form-urlencoded") === true)
    return Object.fromEntries(new URLSearchParams(body));
  return body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
}

/** Posts to us, as the vendor would. A test may take the place of the network. */
export type Deliver = (url: string, init: RequestInit) => Promise<Response>;

export const overNetwork: Deliver = (url, init) => fetch(url, init);

/** A parameter that is text, or a number; none is empty. */
export const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
