import { describe, expect, test } from "vitest";
import { secretsOf } from "../../src/cairn/config/secrets.ts";
import { SECRET_VARIABLES } from "../../src/cli/deploy/preflight-variables.ts";
import { plugins } from "../fixtures/deployment/plugins.ts";

/** Secrets of plugins: the kernel knows them by what each plugin declares. */

const secretsFrom = (name: string): readonly string[] =>
  plugins.find((plugin) => plugin.name === name)?.secrets ?? [];

describe("the secrets of plugins", () => {
  test.each([
    ["cms", ["EMBEDDING_API_KEY", "PEXELS_API_KEY", "PREVIEW_SECRET"]],
    ["code", ["SANDBOX_AUTHORIZATION"]],
    ["scholar", ["OPENALEX_API_KEY", "SERPER_API_KEY"]],
    ["web", ["BRAVE_API_KEY", "EXA_API_KEY", "SEARXNG_AUTHORIZATION", "SERPER_API_KEY", "TAVILY_API_KEY"]],
  ])("of %s are those that it declares", (name, declared) => {
    expect(secretsFrom(name).toSorted()).toEqual(declared);
  });

  test("of the channels are those of the vendors, and the key of the transcription", () => {
    expect(secretsFrom("channels")).toEqual(
      expect.arrayContaining(["TRANSCRIPTION_API_KEY", "TELEGRAM_BOT_TOKEN", "VAPID_PRIVATE_KEY"]),
    );
  });

  test("are scrubbed where their plugin is, and refused under [vars]", () => {
    const declared = plugins.flatMap(({ secrets = [] }) => secrets);
    const env = Object.fromEntries(declared.map((name) => [name, `value of ${name}`]));
    expect(secretsOf(env)).toEqual([]);
    expect(secretsOf(env, declared).map(({ name }) => name)).toEqual([...new Set(declared)]);
    expect(declared.filter((name) => !SECRET_VARIABLES.includes(name))).toEqual([]);
  });
});
