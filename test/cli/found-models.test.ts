import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { findModels, foundLines, readAnswer } from "../../src/cli/start/found-models.ts";

const nothing = async (): Promise<string | null> => null;

test("keys of the environment are named with the options that use them, and never printed", async () => {
  const found = await findModels(
    { OPENAI_API_KEY: "sk-sentinel", OPENROUTER_API_KEY: "or-sentinel", PATH: "/" },
    nothing,
  );
  expect(found.map(({ where }) => where)).toEqual([
    "OPENAI_API_KEY in the environment",
    "OPENROUTER_API_KEY in the environment",
  ]);
  const lines = foundLines(found);
  expect(lines[0]).toContain("--var MODEL:openai-compatible:");
  expect(lines[0]).toContain('--var "OPENAI_COMPATIBLE_API_KEY:$OPENAI_API_KEY"');
  expect(lines[0]).toContain("not used");
  expect(lines.join()).not.toContain("sentinel");
  expect(await findModels({ ANTHROPIC_API_KEY: "" }, nothing)).toEqual([]);
});

test("a local server is named with its first model", async () => {
  const asked: string[] = [];
  const found = await findModels({}, async (url) => {
    asked.push(url);
    return url.includes(":11434/")
      ? JSON.stringify({ data: [{ id: "llama3.3:70b" }, { id: "other" }] })
      : null;
  });
  expect(asked).toEqual(["http://127.0.0.1:11434/v1/models", "http://127.0.0.1:1234/v1/models"]);
  expect(foundLines(found)).toEqual([
    "  Found         Ollama on this machine, not used. To use it: npm start -- --var MODEL:openai-compatible:llama3.3:70b --var OPENAI_COMPATIBLE_BASE_URL:http://127.0.0.1:11434/v1",
  ]);
});

test.each([
  ["no JSON", "<html>"],
  ["no list", "{}"],
  ["an empty list", '{"data":[]}'],
  ["a name that a shell would read", JSON.stringify({ data: [{ id: "x; rm -rf ~" }] })],
  ["far too much", " ".repeat(200_000)],
  ["depth", "[".repeat(90_000)],
])("a program at such a port that answers with %s is no model", async (_, text) => {
  expect(await findModels({}, async () => text)).toEqual([]);
});

test("a server that never ends its answer is given up", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200);
    response.write("{");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    expect(await readAnswer(`http://127.0.0.1:${port}/v1/models`)).toBeNull();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
