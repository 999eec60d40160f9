import { describe, expect, test } from "vitest";
import { createTools } from "../../../src/cairn/project-tools.ts";
import { channels } from "../../../src/plugins/channels/plugin.ts";
import { vendors } from "../../fixtures/vendors.ts";
import { plugins } from "../../fixtures/deployment/plugins.ts";

const TEAM = { channel: "telegram", place: "-100" } as const;
const TELEGRAM = { TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_WEBHOOK_SECRET: "s" };

const cardsOf = (given: Parameters<typeof createTools>[0]["plugins"], env: object) =>
  createTools(
    { plugins: given, tools: [] },
    {
      env,
      session: "",
      clock: () => 0,
      targets: {},
      services: { observations: { read: () => null } },
    },
  )
    .cards()
    .map(({ name }) => name);

describe("a list of the tools", () => {
  test("has that of channels where there is somewhere to send", () => {
    expect(cardsOf([channels({ vendors })], TELEGRAM)).toContain("send_message");
    expect(cardsOf([channels({ vendors, addresses: { team: TEAM } })], {})).toContain("send_message");
    expect(cardsOf([channels({ vendors })], {})).not.toContain("send_message");
  });

  test("has none without the plugin, and all others", () => {
    const [all, others] = [plugins, plugins.filter(({ name }) => name !== "channels")].map((given) =>
      cardsOf(given, TELEGRAM),
    );
    expect(others).toEqual(all?.filter((name) => name !== "send_message"));
  });
});

test("runs that nobody asked for write to addresses alone", () => {
  expect(() => channels({ vendors, addresses: { team: TEAM }, alone: ["team"] })).not.toThrow();
  expect(() => channels({ vendors, alone: ["team"] })).toThrow("alone names team, which is no address");
  expect(() => channels({ vendors, alone: ["toString"] })).toThrow(
    "alone names toString, which is no address",
  );
});

test("the variables that cannot be read are problems, and a missing one is none", async () => {
  const { shared } = channels({ vendors });
  const problemsOf = async (env: object) =>
    await shared?.(env, (value) => value, undefined).problems?.(0, {});
  expect(await problemsOf({})).toEqual([]);
  expect(await problemsOf({ VAPID_SUBJECT: "ada", WEBPUSH_SERVICES: "https://a b" })).toEqual([
    { about: "VAPID_SUBJECT", message: expect.stringContaining("mailto:") },
    ...((await problemsOf({ WEBPUSH_SERVICES: "https://a b" })) ?? []),
  ]);
  expect(await problemsOf({ TRANSCRIPTION_MODEL: "whisper" })).toEqual([
    { about: "TRANSCRIPTION_MODEL", message: expect.stringContaining("Must be") },
  ]);
});

test("an environment has its channels once", () => {
  const plugin = channels({ vendors });
  const env = { ...TELEGRAM };
  expect(plugin.of(env)).toBe(plugin.of(env));
  expect(plugin.of(env).names).toEqual(["telegram"]);
  expect(plugin.of({}).names).toEqual([]);
});
