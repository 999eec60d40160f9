import { afterAll, beforeAll, expect, test } from "vitest";
import { chat } from "../clients/command.ts";
import { expectAnswerIsLast, expectGoodConduct, expectPageIsPublic, WISH } from "../clients/main-wish.ts";
import { startOpenAiServer, type OpenAiServer } from "../clients/openai-server.ts";
import { useServer } from "../clients/server.ts";

let model: OpenAiServer;
beforeAll(async () => {
  model = await startOpenAiServer();
});
afterAll(() => model.close());

const server = useServer(() => [
  "MODEL:openai-compatible:test",
  `OPENAI_COMPATIBLE_BASE_URL:${model.baseUrl}`,
]);

test("the first wish goes the same way through a model behind the OpenAI format", async () => {
  const { code, out, err } = await chat(server.url, [WISH, "--yes", "--session", "remote"]).exit;
  expect({ code, err }).toMatchObject({ code: 0 });
  // The last request is for a title, beside the run.
  const title = async (): Promise<string> => {
    const response = await fetch(`${server.url}/api/sessions/remote`);
    return ((await response.json()) as { readonly title: string }).title;
  };
  await expect.poll(title).not.toBe(WISH.slice(0, 60));
  console.log(`The model named the session “${await title()}”.`);
  expect(model.replies).toBe(model.requests.length);
  expect(model.requests.every((each) => each.model === "test")).toBe(true);
  await expectPageIsPublic(server.url);
  await expectGoodConduct(server.url, "remote");
  await expectAnswerIsLast(server.url, "remote", out);
});
