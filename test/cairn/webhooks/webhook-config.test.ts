import { expect, test } from "vitest";
import { createRedactor } from "../../../src/cairn/core/text/redact.ts";
import { parseConfig } from "../../fixtures/config.ts";
import { secretsOf } from "../../../src/cairn/config/secrets.ts";
import { isSubscribed } from "../../../src/cairn/config/webhook-config.ts";

const bindings = { SESSION: {}, DB: {}, MEDIA: {}, AI: {} };
const parse = (variables: Record<string, unknown>) => parseConfig({ ...bindings, ...variables });
const problems = (variables: Record<string, unknown>): string[] =>
  parse(variables).problems.map(({ variable, class: of, message }) => `${variable} ${of} ${message}`);

const SECRET = "whsec_Y2Fpcm4tZXhhbXBsZS1zZWNyZXQtMDAw";
const target = { id: "ops", url: "https://ops.example/hook", secret: SECRET, events: ["run.*"] };
const targets = (more: object = {}): Record<string, unknown> => ({
  WEBHOOK_TARGETS: JSON.stringify([{ ...target, ...more }]),
});

test("secrets are read from JSON or a table, one or up to three for a source", () => {
  for (const value of ['{"github":"one","stripe":["old","new"]}', { github: "one", stripe: ["old", "new"] }])
    expect([...parse({ WEBHOOK_SECRETS: value }).webhookSecrets]).toEqual([
      ["github", ["one"]],
      ["stripe", ["old", "new"]],
    ]);
});

test.each([
  ["text", "Must be a JSON object"],
  ['["a"]', "Must be a JSON object"],
  ['{"github":""}', "Entry 1"],
  ['{"github":[]}', "Entry 1"],
  ['{"github":["a","b","c","d"]}', "Entry 1"],
  ['{"github":1}', "Entry 1"],
])("secrets like %s are a problem that closes everything, and none of them is told", (value, message) => {
  const config = parse({ WEBHOOK_SECRETS: value });
  expect(config.problems).toEqual([
    { variable: "WEBHOOK_SECRETS", class: "C", message: expect.stringContaining(message) },
  ]);
  expect(config.webhookSecrets.size).toBe(0);
});

test("targets are read from JSON or a table", () => {
  expect(parse(targets()).webhookTargets).toEqual([target]);
  expect(parse({ WEBHOOK_TARGETS: [target] }).webhookTargets).toEqual([target]);
  expect(problems(targets({ url: "http://127.0.0.1:9999/hook" }))).toEqual([]);
  expect(problems(targets({ events: ["run.ended", "approval.*"] }))).toEqual([]);
});

test.each([
  [{ id: "a b" }, "id is"],
  [{ url: "http://ops.example/hook" }, "url is"],
  [{ url: "https://me@ops.example/hook" }, "url is"],
  [{ url: "http://localhost.example/" }, "url is"],
  [{ url: "ops.example" }, "url is"],
  [{ secret: "plain" }, "secret is"],
  [{ secret: "whsec_c2hvcnQ=" }, "secret is"],
  [{ secret: "whsec_!!" }, "secret is"],
  [{ events: [] }, "events is"],
  [{ events: ["*"] }, "events is"],
  [{ events: ["run.paused"] }, "events is"],
  [{ headers: {} }, "only id"],
])("a target with %o is a problem", (more, message) => {
  expect(problems(targets(more))).toEqual([expect.stringMatching(`^WEBHOOK_TARGETS C Entry 1: ${message}`)]);
  expect(parse(targets(more)).webhookTargets).toEqual([]);
});

test("targets are an array of at most ten with ids of their own", () => {
  const many = Array.from({ length: 11 }, (_, n) => ({ ...target, id: `t${n}` }));
  expect(problems({ WEBHOOK_TARGETS: JSON.stringify(many) })).toEqual([
    expect.stringContaining("at most 10"),
  ]);
  expect(problems({ WEBHOOK_TARGETS: JSON.stringify(many.slice(1)) })).toEqual([]);
  expect(problems({ WEBHOOK_TARGETS: JSON.stringify([target, target]) })).toEqual([
    expect.stringContaining("once"),
  ]);
  expect(problems({ WEBHOOK_TARGETS: "{" })).toEqual([expect.stringContaining("JSON array")]);
});

test("a target wants what its events name, exactly or by their family", () => {
  expect(isSubscribed({ events: ["run.*"] }, "run.ended")).toBe(true);
  expect(isSubscribed({ events: ["run.*"] }, "approval.decided")).toBe(false);
  expect(isSubscribed({ events: ["run.ended"] }, "run.started")).toBe(false);
});

test("the secrets of webhooks are scrubbed from whatever is written", () => {
  const env = { WEBHOOK_SECRETS: '{"github":["sentinel-in-1","sentinel-in-2"]}', ...targets() };
  const redact = createRedactor(secretsOf(env));
  expect(redact(`a sentinel-in-1 b sentinel-in-2 c ${SECRET}`)).toBe(
    "a [secret:WEBHOOK_SECRETS] b [secret:WEBHOOK_SECRETS] c [secret:WEBHOOK_TARGETS]",
  );
});
