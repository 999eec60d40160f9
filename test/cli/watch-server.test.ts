import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { watchServer } from "../../src/cli/start/watch-server.ts";

/** A server that is looked after: one that answers, one that hangs, one that is gone. */

const LIMITS = { everyMs: 1, answerMs: 60, silentMax: 3 };
const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a server is found to hang", () => {
  test("that takes connections and answers nothing, after as many requests as allowed", async () => {
    let asked = 0;
    const url = await serve(() => void (asked += 1));
    expect(await watchServer(url, LIMITS).hangs).toBe("hangs");
    expect(asked).toBe(3);
  });

  test("that has answered before", async () => {
    let asked = 0;
    const url = await serve((_, answer) => {
      asked += 1;
      if (asked <= 4) answer.end("ok");
    });
    expect(await watchServer(url, LIMITS).hangs).toBe("hangs");
    expect(asked).toBe(7);
  });

  test("that takes no connections any more", async () => {
    const url = await serve(() => {});
    await new Promise((resolve) => open.splice(0)[0]?.close(resolve));
    expect(await watchServer(url, LIMITS).hangs).toBe("hangs");
  });

  test("that breaks each connection off", async () => {
    const url = await serve((request) => request.socket.destroy());
    expect(await watchServer(url, LIMITS).hangs).toBe("hangs");
  });
});

test("a server that answers in time now and then, with any status, goes on", async () => {
  let asked = 0;
  let seen = (): void => {};
  const enough = new Promise<"answered">((resolve) => (seen = () => resolve("answered")));
  const url = await serve((request, answer) => {
    asked += 1;
    if (asked % 3 !== 0) return void request.socket.destroy();
    answer.writeHead(503).end();
    if (asked >= 12) seen();
  });
  const watch = watchServer(url, LIMITS);
  expect(await Promise.race([watch.hangs, enough])).toBe("answered");
  watch.stop();
});
