import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createCloudflare } from "../../../src/plugins/web/search/cloudflare.ts";

test("the binding AI of this runtime has the web search, and without an account says that it is elsewhere", async () => {
  expect(typeof env.AI.websearch).toBe("function");
  const search = createCloudflare(env.AI, { gatewayId: "default", engine: null }).search(
    { query: "high pass", limit: 3 },
    { signal: new AbortController().signal, at: 0 },
  );
  await expect(search).rejects.toMatchObject({
    kind: "auth",
    message: "cloudflare: only a deployed Cairn has this web search.",
  });
});
