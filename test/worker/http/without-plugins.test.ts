import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../../src/agents/define.ts";
import { createCairn } from "../../../src/cairn/create.ts";

/** A worker without a plugin loads, and has no trace of it. */

const bare = createCairn({ agents: { default: defineAgent({ description: "Keeps our shop." }) } });

/** Asks it as the owner of this machine. */
async function ask(path: string, variables: Record<string, string> = {}): Promise<Response> {
  const { worker } = bare;
  const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  return worker.fetch(
    new Request(`http://127.0.0.1${path}`) as Parameters<typeof worker.fetch>[0],
    { ...env, ...variables },
    context as unknown as ExecutionContext,
  );
}

describe("without the rehearsal model", () => {
  test("MODEL=rehearsal: is a problem that names the plugin's place, and no run starts", async () => {
    const answer = await ask("/healthz", { MODEL: "rehearsal:" });
    expect(answer.status).toBe(503);
    const { model, problems } = await answer.json<{
      model: string | null;
      problems: { variable: string; message: string }[];
    }>();
    expect(model).toBeNull();
    expect(problems.find(({ variable }) => variable === "MODEL")?.message).toMatch(
      /^No plugin of this project brings the model rehearsal:\. Add it to plugins, .* no run starts/,
    );
  });
});
