import { expect, vi } from "vitest";
import { asKind, type Entry, type EntryKind } from "../../../src/cairn/core/log/entry.ts";
import type { ModelErrorClass } from "../../../src/cairn/core/log/model.ts";
import {
  call,
  callChunk,
  chunk,
  KEY,
  startBinding,
  startServer,
  stream,
  type Act,
  type Provider,
} from "./provider.ts";
import type { FakePlatform } from "./platform.ts";

/** The faults of a provider, what each does to the log, and what holds after every one of them. */

/** Prose from a provider: it may quote anything, so no entry may contain it. */
export const PROSE = `the key ${KEY} was seen at http://ada:secret@model.internal with "prompt words"`;
/** text of a reply that broke off: a draft, never an entry */
export const HALF = "Half of what I wanted";

export const BEGIN: readonly EntryKind[] = ["user_message", "run_queued", "run_started"];
export const WORK: readonly EntryKind[] = ["model_replied", "call_intended", "call_settled"];
export const ANSWER: readonly EntryKind[] = ["model_replied", "review", "answer", "run_ended"];
export const HONEST: readonly EntryKind[] = ["answer", "run_ended"];
export const times = (count: number, ...kinds: readonly EntryKind[]): EntryKind[] =>
  Array.from({ length: count }, () => kinds).flat();

export const refuse = (
  status: number,
  code: string,
  thrown: string | (() => Error),
  headers?: Record<string, string>,
): Act => ({
  does: "refuse",
  status,
  body: { error: { message: PROSE, code } },
  ...(headers === undefined ? {} : { headers }),
  thrown: typeof thrown === "string" ? () => new Error(`${thrown} ${PROSE}`) : thrown,
});
export const cut = (then: "early" | "break" | "hang", ...more: readonly object[]): Act => ({
  does: "stream",
  events: [chunk({ content: HALF }), callChunk(0, "send", '{"name":"never"}'), ...more],
  then,
});

export const LIMITED = refuse(429, "rate_limit_exceeded", "3036: Account limited.", {
  "retry-after": "120",
});
export const DOWN = refuse(500, "server_error", "AiError: 8001: Internal server error.");
export const REFUSED = refuse(401, "invalid_api_key", () =>
  Object.assign(
    new Error(
      JSON.stringify({
        success: false,
        errors: [{ code: 10000, message: `Authentication error: ${PROSE}` }],
      }),
    ),
    { name: "InferenceUpstreamError", httpCode: 403 },
  ),
);
export const TOO_LONG = refuse(
  400,
  "context_length_exceeded",
  "AiError: 5021: The estimated number of tokens (11146) exceeded this model context window limit (7968).",
);

export interface Fault {
  readonly name: string;
  readonly act: Act;
  /** the entries of one such fault, between its step_started and the next model_replied */
  readonly entries: readonly EntryKind[];
  /** the entries after the step_started of a run in which nothing else ever happens, up to the answer */
  readonly forGood: readonly EntryKind[];
  /** the same behind a step with an effect, where that makes a difference */
  readonly forGoodAfterWork?: readonly EntryKind[];
  readonly ends: readonly [outcome: string, reason: string];
  /** what the person is told then */
  readonly told: RegExp;
}

const failure = (name: string, act: Act, failed: ModelErrorClass, told: RegExp): Fault => ({
  name,
  act,
  entries: ["model_failed"],
  forGood: times(6, "model_failed"),
  ends: ["failed_provider", `provider:${failed}`],
  told,
});
/**
 * The second unusable reply gets a hint, and the third one forces an answer; an answer that twice does not come ends the
 * run.
 */
const useless = (name: string, act: Act, entries: readonly EntryKind[], replies: 2 | 3): Fault => ({
  name,
  act,
  entries: ["model_replied", ...entries, "step_started"],
  forGood: [
    ...(replies === 2
      ? times(2, "model_replied", ...entries, "step_started").slice(0, -1)
      : [
          ...times(2, "model_replied", ...entries, "step_started").slice(0, -1),
          "verdict" as const,
          "step_started" as const,
          "model_replied" as const,
          ...entries,
        ]),
    "verdict",
    ...times(2, "step_started", "model_replied"),
  ],
  ends: ["failed_invalid_output", "invalid_output"],
  told: /because the model's replies could not be used/,
});

export const RETRIED: readonly Fault[] = [
  failure("429 with Retry-After", LIMITED, "rate_limit", /provider is limiting requests/),
  failure("500", DOWN, "overloaded", /provider failed or is overloaded/),
  failure("a refused connection", { does: "unreachable" }, "network", /could not be reached/),
  failure("a stream that ends in the middle", cut("early"), "cut_off", /answer broke off/),
  failure("a connection that breaks in the middle", cut("break"), "cut_off", /answer broke off/),
  failure("a stream that hangs", cut("hang"), "timeout", /did not answer in time/),
  failure("a server that never answers", { does: "silence" }, "timeout", /did not answer in time/),
  failure(
    "an error inside the stream",
    cut("early", { error: { message: PROSE } }, chunk({}, "stop")),
    "cut_off",
    /answer broke off/,
  ),
];
export const SAID: readonly Fault[] = [
  useless("an empty reply", stream(chunk({}, "stop")), ["verdict"], 3),
  useless(
    "a half tool call beside a whole one, cut by length",
    stream(
      callChunk(0, "send", '{"name":"never"}'),
      callChunk(1, "send", '{"name":"ne'),
      chunk({}, "length"),
    ),
    ["call_settled", "call_settled"],
    2,
  ),
  useless("a tool that does not exist", call(["sned", "never"]), ["call_settled"], 3),
  useless(
    "arguments that the schema refuses",
    stream(callChunk(0, "send", '{"nmae":7}'), chunk({}, "tool_calls")),
    ["call_settled"],
    3,
  ),
];
export const FATAL: readonly Fault[] = [
  {
    name: "refused access",
    act: REFUSED,
    entries: ["model_failed"],
    forGood: ["model_failed"],
    ends: ["failed_auth", "provider:auth"],
    told: /refused access: check the key.*Check the model's key in the configuration/s,
  },
  {
    name: "a prompt that is too long",
    act: TOO_LONG,
    entries: ["model_failed", "verdict", "step_started"],
    forGood: ["model_failed", "verdict", "step_started", "model_failed"],
    // There is a step then that the request of the answer can do without.
    forGoodAfterWork: [
      "model_failed",
      "verdict",
      "step_started",
      "model_failed",
      "compacted",
      "model_failed",
    ],
    ends: ["failed_internal", "context"],
    told: /too large for the model.*Start a new session/s,
  },
];

export const of = <Kind extends EntryKind>(platform: FakePlatform, kind: Kind): Entry<Kind>[] =>
  platform.log.map((entry) => asKind(entry, kind)).filter((entry) => entry !== null);
export const ended = (platform: FakePlatform): unknown[] =>
  of(platform, "run_ended").map(({ body }) => [body.outcome, body.reason]);
export const told = (platform: FakePlatform): string => of(platform, "answer").at(-1)?.body.text ?? "";
export const failures = (platform: FakePlatform): unknown[] =>
  of(platform, "model_failed").map(({ body }) => [body.class, body.then]);

/** Lets the clock run over every wait, that of Retry-After too. */
export const settle = (platform: FakePlatform): Promise<void> => platform.settle(16 * 60_000);

/** Checks that pass after every fault. `unreached`: requests that never reached the provider. */
export function expectSound(platform: FakePlatform, provider: Provider, unreached = 0): void {
  const { log } = platform;
  expect(of(platform, "run_ended")).toHaveLength(of(platform, "run_started").length);
  expect(of(platform, "answer")).toHaveLength(of(platform, "run_started").length);
  expect(platform.folded).toEqual(platform.state);
  expect(platform.published).toEqual(log);
  expect(platform.disk.alarm).toBeNull();
  const calls = of(platform, "model_replied").flatMap(({ body }) => body.calls.map((item) => item.call));
  expect(of(platform, "call_settled").map(({ body }) => body.call)).toEqual(calls);
  // No layer below retries: what the loop asked for is what the provider saw.
  expect(provider.asked).toHaveLength(platform.requests.length - unreached);
  const complaints = vi.mocked(console.error).mock.calls.map(String);
  // Only a dying isolate has a reason to write an error.
  if (of(platform, "attempt_lost").length === 0) expect(complaints).toEqual([]);
  const kept = JSON.stringify([log, platform.state, platform.requests, complaints]);
  for (const secret of [KEY, "model.internal", "prompt words", HALF, "127.0.0.1", "call_0"])
    expect(kept).not.toContain(secret);
}

export const WAYS: readonly (readonly [way: string, start: () => Promise<Provider>])[] = [
  ["openai-compatible", startServer],
  ["workers-ai", async () => startBinding()],
];
