import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A push service on this machine, as strict as those of browsers (RFC 8030, 8188, 8292) about what it can see: it cannot read what
 * it is given.
 */

export interface TakenPush {
  /** of the endpoint */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface PushService {
  readonly url: string;
  /** what it took, in its order */
  readonly pushes: TakenPush[];
  /** what it refused, and why */
  readonly refused: string[];
  /** From now on the browser of this path is gone. */
  forget(path: string): void;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 4_096;

export async function startPushService(): Promise<PushService> {
  const pushes: TakenPush[] = [];
  const refused: string[] = [];
  const gone = new Set<string>();
  const take = async (request: IncomingMessage): Promise<number> => {
    const path = request.url ?? "/";
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const push = { path, headers, body: Buffer.concat(chunks) };
    const fault = faultOf(request.method ?? "", push);
    if (fault !== null) {
      refused.push(fault[1]);
      return fault[0];
    }
    if (gone.has(path)) return 410;
    pushes.push(push);
    return 201;
  };
  const server = createServer((request, response) => {
    take(request).then(
      (status) => response.writeHead(status, status === 201 ? { location: "/message/1" } : {}).end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushes,
    refused,
    forget: (path) => void gone.add(path),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function faultOf(
  method: string,
  { headers, body }: TakenPush,
): readonly [status: number, why: string] | null {
  const header = (name: string): string => headers.get(name) ?? "";
  if (method !== "POST") return [405, "a push is posted"];
  if (!/^\d+$/.test(header("ttl"))) return [400, "ttl is missing"];
  if (header("content-encoding") !== "aes128gcm") return [400, "the body is not aes128gcm"];
  if (!/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, ?k=[\w-]{87}$/.test(header("authorization")))
    return [401, "nobody has signed"];
  if (headers.has("topic") && !/^[\w-]{1,32}$/.test(header("topic")))
    return [400, "the topic is too long, or no base64url"];
  if (headers.has("urgency") && !/^(very-low|low|normal|high)$/.test(header("urgency")))
    return [400, "no such urgency"];
  return body.length > BODY_BYTES_MAX ? [413, "too large"] : null;
}
