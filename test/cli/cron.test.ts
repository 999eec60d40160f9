import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runCron } from "../../src/cli/start/cron.ts";

test("the cron trigger of a local server is pulled at once, and again, until the server has ended", async () => {
  const asked: string[] = [];
  const inner = createServer((request, answer) => {
    asked.push(request.url ?? "");
    answer.end("ok");
  }).listen(0, "127.0.0.1");
  await once(inner, "listening");
  onTestFinished(() => {
    inner.closeAllConnections();
    inner.close();
  });
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const url = `http://127.0.0.1:${(inner.address() as AddressInfo).port}`;
  onTestFinished(() => end());
  runCron({ url, ended }, 20);
  for (let n = 0; n < 3; n++) await once(inner, "request");
  expect(new Set(asked)).toEqual(new Set(["/cdn-cgi/handler/scheduled"]));
});
