import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/cairn/core/log/digest.ts";
import { parseModelName } from "../../../src/cairn/core/log/model.ts";
import { parseConfig, RULES } from "../../fixtures/config.ts";
import { dialectOf, modelAllowed, modelGap, type Config } from "../../../src/cairn/config/config.ts";

const bindings = { SESSION: {}, DB: {}, MEDIA: {}, AI: {} };
const parse = (variables: Record<string, unknown>): Config => parseConfig({ ...bindings, ...variables });
/** `[variable, class]` of each problem */
const faults = (config: Config): string[][] =>
  config.problems.map((problem) => [problem.variable, problem.class]);

const TOKEN = "alice-dev-token-0001";
const alice = { subject: "alice", scopes: ["read", "send"] };

test("nothing configured is a rehearsal where nobody can log in", () => {
  expect(parse({})).toEqual({
    problems: [],
    modelName: "rehearsal:",
    models: {
      primary: { provider: "rules", id: "rehearsal:" },
      fallbacks: [],
      allowed: ["rehearsal:"],
      openaiCompatible: null,
      openrouter: null,
      gatewayId: null,
      ai: true,
      own: RULES,
    },
    tokens: [],
    linkSecrets: [],
    anonymous: false,
    localKey: null,
    origins: [],
    publicUrl: null,
    limits: expect.objectContaining({ bodyBytes: 1_048_576, messageBytes: 65_536, socketsPerSession: 32 }),
    prices: {},
    windows: {},
    dialects: {},
    webhookSecrets: new Map(),
    webhookTargets: [],
    titles: true,
    logLevel: "error",
    visionModels: [],
    extractorModel: null,
  });
});

test("empty text counts as unset for every variable", () => {
  const names = ["MODEL", "MODEL_FALLBACKS", "MODELS_ALLOWED", "OPENAI_COMPATIBLE_BASE_URL", "AI_GATEWAY_ID"];
  const router = ["API_KEY", "BASE_URL", "APP_URL", "APP_TITLE"].map((name) => `OPENROUTER_${name}`);
  const others = [
    "OPENAI_COMPATIBLE_API_KEY",
    "OPENAI_COMPATIBLE_REPORTS_COST",
    "AUTH_TOKENS",
    "ALLOW_ANONYMOUS",
    "ORIGINS",
    "PUBLIC_URL",
    "LIMITS",
    "MODEL_PRICES",
    "MODEL_WINDOWS",
    "DIALECTS",
  ];
  const all = [...names, ...router, ...others, "TITLES", "LOG_LEVEL"];
  expect(parse(Object.fromEntries(all.map((name) => [name, " "])))).toEqual(parse({}));
});

test.each([
  [{ SESSION: undefined }, [["SESSION", "C"]]],
  [{ DB: undefined }, [["DB", "C"]]],
  [{ MEDIA: undefined }, []],
  [{ AI: undefined }, []],
  [{ AI: undefined, MODEL: "workers-ai:@cf/x/y" }, [["MODEL", "M"]]],
  [{ MODEL: "gpt-9" }, [["MODEL", "M"]]],
  [{ MODEL: "rehearsal:x" }, [["MODEL", "M"]]],
  [{ MODEL: "workers-ai:" }, [["MODEL", "M"]]],
  [{ MODEL: { a: 1 } }, [["MODEL", "M"]]],
  [{ MODEL: "openai-compatible:x" }, [["MODEL", "M"]]],
  [{ MODEL: "gateway:openai/x" }, [["MODEL", "M"]]],
  [{ MODEL_FALLBACKS: "rehearsal:,nonsense" }, [["MODEL_FALLBACKS", "M"]]],
  [{ MODEL_FALLBACKS: '["rehearsal:",7]' }, [["MODEL_FALLBACKS", "M"]]],
  [{ MODEL_FALLBACKS: "rehearsal:,rehearsal:,rehearsal:,rehearsal:" }, [["MODEL_FALLBACKS", "M"]]],
  [{ MODEL_FALLBACKS: "openai-compatible:x" }, [["MODEL_FALLBACKS", "M"]]],
  [{ MODELS_ALLOWED: "*" }, [["MODELS_ALLOWED", "M"]]],
  [{ OPENAI_COMPATIBLE_BASE_URL: "localhost:11434/v1" }, [["OPENAI_COMPATIBLE_BASE_URL", "M"]]],
  [{ OPENAI_COMPATIBLE_REPORTS_COST: "maybe" }, [["OPENAI_COMPATIBLE_REPORTS_COST", "M"]]],
  [{ MODEL: "openrouter:x/y" }, [["MODEL", "M"]]],
  [{ MODEL: "openrouter:", OPENROUTER_API_KEY: "key" }, [["MODEL", "M"]]],
  [{ MODEL_FALLBACKS: "openrouter:x/y" }, [["MODEL_FALLBACKS", "M"]]],
  [{ OPENROUTER_BASE_URL: "openrouter.ai/api/v1" }, [["OPENROUTER_BASE_URL", "M"]]],
  [{ OPENROUTER_APP_URL: "cairn.example" }, [["OPENROUTER_APP_URL", "M"]]],
  [{ OPENROUTER_APP_TITLE: "two\nlines" }, [["OPENROUTER_APP_TITLE", "M"]]],
  [{ OPENROUTER_APP_TITLE: "x".repeat(101) }, [["OPENROUTER_APP_TITLE", "M"]]],
  [{ AI_GATEWAY_ID: "a/b" }, [["AI_GATEWAY_ID", "M"]]],
  [{ AUTH_TOKENS: "{" }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: "[]" }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { short: alice } }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { "sha256:abcdefabcdefabcdef": alice } }, [["AUTH_TOKENS", "C"]]],
  [
    { AUTH_TOKENS: { [TOKEN]: "alice" } },
    [
      ["AUTH_TOKENS", "C"],
      ["AUTH_TOKENS", "C"],
    ],
  ],
  [{ AUTH_TOKENS: { [TOKEN]: { ...alice, subject: "hook:github" } } }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { [TOKEN]: { ...alice, subject: "al ice" } } }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { [TOKEN]: { ...alice, scopes: ["write"] } } }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { [TOKEN]: { ...alice, expire: "2030-01-01" } } }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { [TOKEN]: { ...alice, expires: "tomorrow" } } }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { [TOKEN]: { ...alice, expires: "2030-01-01T10:00" } } }, [["AUTH_TOKENS", "C"]]],
  [{ AUTH_TOKENS: { [TOKEN]: alice, [`sha256:${sha256Hex(TOKEN)}`]: alice } }, [["AUTH_TOKENS", "C"]]],
  [{ ALLOW_ANONYMOUS: "yes" }, [["ALLOW_ANONYMOUS", "C"]]],
  [{ ORIGINS: "*" }, [["ORIGINS", "C"]]],
  [{ ORIGINS: "https://app.example.com/" }, [["ORIGINS", "C"]]],
  [{ ORIGINS: "https://a.example,," }, [["ORIGINS", "C"]]],
  [{ PUBLIC_URL: "http://cairn.example" }, [["PUBLIC_URL", "F"]]],
  [{ PUBLIC_URL: "https://cairn.example/path" }, [["PUBLIC_URL", "F"]]],
  [{ LIMITS: "7" }, [["LIMITS", "C"]]],
  [{ LIMITS: { bodyBytes: 0 } }, [["LIMITS", "C"]]],
  [{ LIMITS: { bodyBytes: "1" } }, [["LIMITS", "C"]]],
  [{ LIMITS: { bodyByte: 1 } }, [["LIMITS", "C"]]],
  [{ TITLES: "maybe" }, [["TITLES", "F"]]],
])("%j is a problem of its class", (variables, expected) => {
  expect(faults(parse(variables))).toEqual(expected);
});

test("what could not be read is closed: no token, no anonymous, no origin, no model", () => {
  const config = parse({
    AUTH_TOKENS: { [TOKEN]: alice, short: alice },
    ALLOW_ANONYMOUS: "1",
    ORIGINS: "https://a.example,*",
    MODEL: "nonsense",
  });
  expect(config).toMatchObject({ tokens: [], anonymous: false, origins: [], models: null, modelName: null });
});

test("a model that cannot be called is still named", () => {
  expect(parse({ MODEL: "openai-compatible:x" })).toMatchObject({
    modelName: "openai-compatible:x",
    models: null,
  });
});

test("no message holds a value", () => {
  const sentinel = "sentinel-0123456789abcdef";
  const config = parse({
    MODEL: sentinel,
    MODEL_FALLBACKS: `${sentinel},${sentinel}`,
    MODELS_ALLOWED: sentinel,
    OPENAI_COMPATIBLE_BASE_URL: sentinel,
    OPENROUTER_BASE_URL: sentinel,
    OPENROUTER_APP_URL: sentinel,
    OPENROUTER_APP_TITLE: `${sentinel}\n`.repeat(2),
    AI_GATEWAY_ID: `${sentinel}/`,
    AUTH_TOKENS: {
      [sentinel]: { subject: `${sentinel} `, scopes: [sentinel], [sentinel]: 1, expires: sentinel },
    },
    ALLOW_ANONYMOUS: sentinel,
    ORIGINS: sentinel,
    PUBLIC_URL: sentinel,
    LIMITS: { [sentinel]: 1, bodyBytes: sentinel },
    TITLES: sentinel,
  });
  expect(new Set(config.problems.map((problem) => problem.variable)).size).toBe(14);
  expect(JSON.stringify(config)).not.toContain(sentinel);
  expect(JSON.stringify(parse({ AUTH_TOKENS: `{"${sentinel}"`, LIMITS: sentinel }))).not.toContain(sentinel);
});

describe("values", () => {
  test("tokens are kept as digests, plain and hashed forms alike, with their end", () => {
    const hashed = `sha256:${sha256Hex("bob-dev-token-0000001").toUpperCase()}`.replace("SHA256", "sha256");
    const config = parse({
      AUTH_TOKENS: JSON.stringify({
        [TOKEN]: { ...alice, expires: "2030-01-01" },
        [hashed]: { subject: "bob", scopes: ["admin"], expires: "2030-01-01T02:00:00+02:00" },
        "carol-dev-token-0001": { subject: "carol", scopes: [] },
      }),
    });
    const end = Date.UTC(2030, 0, 1);
    expect(config.problems).toEqual([]);
    expect(config.tokens.map(({ name: _name, ...grant }) => grant)).toEqual([
      { digest: sha256Hex(TOKEN), subject: "alice", scopes: ["read", "send"], expiresAt: end },
      { digest: sha256Hex("bob-dev-token-0000001"), subject: "bob", scopes: ["admin"], expiresAt: end },
      { digest: sha256Hex("carol-dev-token-0001"), subject: "carol", scopes: [], expiresAt: null },
    ]);
    expect(JSON.stringify(config)).not.toContain(TOKEN);
  });

  test("a TOML table or switch is as good as its text", () => {
    const table = parse({
      LIMITS: { bodyBytes: 9 },
      ALLOW_ANONYMOUS: true,
      ORIGINS: ["https://a.example"],
      TITLES: 0,
    });
    const text = parse({
      LIMITS: '{"bodyBytes":9}',
      ALLOW_ANONYMOUS: "true",
      ORIGINS: "https://a.example",
      TITLES: "0",
    });
    expect(table).toEqual(text);
    expect(table).toMatchObject({
      anonymous: true,
      origins: ["https://a.example"],
      titles: false,
    });
    expect(table.limits).toMatchObject({ bodyBytes: 9, messageBytes: 65_536 });
  });

  test("lists are split at commas and trimmed", () => {
    expect(parse({ ORIGINS: "https://a.example , http://localhost:5173" }).origins).toEqual([
      "https://a.example",
      "http://localhost:5173",
    ]);
  });

  test("models have their providers' needs filled in", () => {
    const config = parse({
      MODEL: "openai-compatible:qwen3:8b",
      MODEL_FALLBACKS: '["gateway:openai/gpt-x"]',
      OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:11434/v1/",
      OPENAI_COMPATIBLE_API_KEY: "key",
      AI_GATEWAY_ID: "my-gateway",
      PUBLIC_URL: "https://cairn.example/",
    });
    expect(config.problems).toEqual([]);
    expect(config.models).toEqual({
      primary: { provider: "openai-compatible", id: "qwen3:8b" },
      fallbacks: [{ provider: "gateway", id: "openai/gpt-x" }],
      allowed: ["openai-compatible:qwen3:8b", "gateway:openai/gpt-x", "rehearsal:"],
      openaiCompatible: {
        baseUrl: "http://127.0.0.1:11434/v1",
        apiKey: "key",
        headers: {},
        reportsCost: false,
      },
      openrouter: null,
      gatewayId: "my-gateway",
      ai: true,
      own: RULES,
    });
    expect(config.publicUrl).toBe("https://cairn.example");
  });
});

test("OpenRouter needs nothing but its key, beside any other provider", () => {
  const parsed = parse({
    MODEL: "openrouter:meta-llama/llama-3.3-70b-instruct:free",
    MODEL_FALLBACKS: "openai-compatible:m",
    OPENROUTER_API_KEY: "router-key",
    OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:11434/v1",
    OPENAI_COMPATIBLE_REPORTS_COST: 1,
  });
  expect(parsed.problems).toEqual([]);
  expect(parsed.models).toMatchObject({
    primary: { provider: "openrouter", id: "meta-llama/llama-3.3-70b-instruct:free" },
    fallbacks: [{ provider: "openai-compatible", id: "m" }],
    openaiCompatible: { apiKey: null, reportsCost: true },
    openrouter: {
      baseUrl: "https://openrouter.ai/api/v1",
      apiKey: "router-key",
      headers: {},
      reportsCost: true,
    },
  });
  const told = parse({
    OPENROUTER_API_KEY: "router-key",
    OPENROUTER_BASE_URL: "http://127.0.0.1:9/v1/",
    OPENROUTER_APP_URL: "https://cairn.example",
    OPENROUTER_APP_TITLE: "Our Cairn",
  });
  expect(told.models?.openrouter).toMatchObject({
    baseUrl: "http://127.0.0.1:9/v1",
    headers: { "HTTP-Referer": "https://cairn.example", "X-OpenRouter-Title": "Our Cairn" },
  });
});

describe("model names", () => {
  test("have a known provider and an id without spaces or commas", () => {
    expect(parseModelName("workers-ai:@cf/meta/llama-3")).toEqual({
      provider: "workers-ai",
      id: "@cf/meta/llama-3",
    });
    for (const text of [
      "",
      "rehearsal",
      "workers-ai",
      "gateway:",
      "gateway:a b",
      "gateway:a,b",
      "rehearsal:x",
      "constructor:x",
      `gateway:${"x".repeat(201)}`,
      "WORKERS-AI:x",
    ])
      expect(parseModelName(text)).toBeNull();
  });

  test("may be named by a caller when listed, or when their head is", () => {
    const models = parse({ MODELS_ALLOWED: "rehearsal:,workers-ai:*,gateway:openai/*,openrouter:*" }).models;
    if (models === null) throw new Error("the list was refused");
    const allows = (text: string): boolean => {
      const name = parseModelName(text, ["rehearsal:"]);
      return name !== null && modelAllowed(models, name);
    };
    const named = ["rehearsal:", "workers-ai:x", "gateway:openai/x", "openrouter:x/y"];
    expect(named.filter(allows)).toEqual(named);
    expect(["gateway:other/x", "openai-compatible:workers-ai:x"].map(allows)).toEqual([false, false]);
  });

  test("say what they still need", () => {
    const nothing = { openaiCompatible: null, openrouter: null, gatewayId: null, ai: false, own: new Map() };
    expect(modelGap(nothing, { provider: "rules", id: "rehearsal:" })).toBeNull();
    expect(modelGap(nothing, { provider: "workers-ai", id: "x" })).toContain("AI");
    expect(modelGap({ ...nothing, ai: true }, { provider: "gateway", id: "x" })).toContain("AI_GATEWAY_ID");
    expect(modelGap(nothing, { provider: "openrouter", id: "x" })).toContain("OPENROUTER_API_KEY");
    expect(modelGap(nothing, { provider: "openai-compatible", id: "x" })).toContain(
      "OPENAI_COMPATIBLE_BASE_URL",
    );
  });
});

describe("what models cost", () => {
  const model = "openai-compatible:m";
  const priced = (entry: unknown, name = model): Config =>
    parse({ MODEL_PRICES: JSON.stringify({ [name]: entry }) });

  test("is in dollars per million tokens; cached input costs what input does unless it is said", () => {
    const config = parse({
      MODEL_PRICES: {
        [model]: { input: 0.15, output: 0.6 },
        "rehearsal:": { input: 1, cachedInput: 0, output: 2 },
      },
    });
    expect(faults(config)).toEqual([]);
    expect(config.prices).toEqual({
      [model]: { input: 0.15, cachedInput: 0.15, output: 0.6 },
      "rehearsal:": { input: 1, cachedInput: 0, output: 2 },
    });
  });

  test.each([
    [{ input: 1 }],
    [{ output: 1 }],
    [{ input: -1, output: 1 }],
    [{ input: "1", output: 1 }],
    [{ input: 1, output: 1, cachedInput: null }],
    [{ input: 1, output: 10_001 }],
    [{ input: 1, output: 1, in: 1 }],
    [3],
    [[1, 2]],
    [null],
  ])("%o is none, and no run starts", (entry) => {
    const config = priced(entry);
    expect(faults(config)).toEqual([["MODEL_PRICES", "M"]]);
    expect([config.models, config.prices]).toEqual([null, {}]);
  });

  test("a name that is no model's, and text that is no JSON, are refused without being repeated", () => {
    for (const config of [
      priced({ input: 1, output: 1 }, "gpt-9-secret"),
      parse({ MODEL_PRICES: "{secret" }),
    ]) {
      expect(faults(config)).toEqual([["MODEL_PRICES", "M"]]);
      expect(config.problems[0]?.message).not.toContain("secret");
    }
  });
});

describe("the dialects of models", () => {
  test("are by model name, or by a head of it; what is said of the very name counts before the longest head", () => {
    const config = parse({
      DIALECTS: {
        "openai-compatible:*": "json",
        "openai-compatible:qwen*": "tags",
        "openai-compatible:qwen4": "native",
      },
    });
    expect(faults(config)).toEqual([]);
    const models = [
      "openai-compatible:gemma3:4b",
      "openai-compatible:qwq",
      "openai-compatible:qwen3",
      "openai-compatible:qwen4",
    ];
    expect(models.map((model) => dialectOf(config, model))).toEqual(["json", "json", "tags", "native"]);
    expect(dialectOf(parse({}), "openai-compatible:gemma3:4b")).toBe("native");
  });

  test.each([
    [{ "openai-compatible:m": "xml" }],
    [{ "openai-compatible:m": null }],
    [{ "gpt-9": "json" }],
    [{ "*": "json" }],
    ["json"],
  ])("%o are none, and no run starts", (dialects) => {
    const config = parse({ DIALECTS: dialects });
    expect([faults(config), config.models, config.dialects]).toEqual([[["DIALECTS", "M"]], null, {}]);
  });
});

describe("the windows of models", () => {
  const model = "openai-compatible:m";

  test("are tokens by model name", () => {
    const config = parse({ MODEL_WINDOWS: { [model]: 32_000, "rehearsal:": 1_000_000 } });
    expect([faults(config), config.windows]).toEqual([[], { [model]: 32_000, "rehearsal:": 1_000_000 }]);
  });

  test.each([
    [{ [model]: 4_095 }],
    [{ [model]: "32000" }],
    [{ [model]: Number.NaN }],
    [{ "gpt-9": 32_000 }],
    ["{no"],
  ])("%o are none, and no run starts", (windows) => {
    const config = parse({ MODEL_WINDOWS: windows });
    expect([faults(config), config.models, config.windows]).toEqual([[["MODEL_WINDOWS", "M"]], null, {}]);
  });
});

test("LOG_LEVEL is one of four words; another one is named, and counts as left out", () => {
  expect(["off", "error", "info", " debug "].map((word) => parse({ LOG_LEVEL: word }).logLevel)).toEqual([
    "off",
    "error",
    "info",
    "debug",
  ]);
  for (const wrong of ["loud", "INFO", 3, true]) {
    expect(faults(parse({ LOG_LEVEL: wrong }))).toEqual([["LOG_LEVEL", "F"]]);
    expect(parse({ LOG_LEVEL: wrong }).logLevel).toBe("error");
  }
});

test("VISION_MODELS names models that can be called; one that cannot be turns only sight off", () => {
  const config = parse({
    VISION_MODELS: "workers-ai:@cf/llava-hf/llava-1.5-7b-hf, gateway:openai/gpt-4o",
    AI_GATEWAY_ID: "g",
  });
  expect(config.visionModels).toEqual(["workers-ai:@cf/llava-hf/llava-1.5-7b-hf", "gateway:openai/gpt-4o"]);
  for (const VISION_MODELS of ["openai-compatible:eyes", "eyes", "workers-ai:@cf/a,nothing:b", 5]) {
    const wrong = parse({ VISION_MODELS });
    expect([faults(wrong), wrong.visionModels]).toEqual([[["VISION_MODELS", "F"]], []]);
    expect(wrong.models).not.toBeNull();
  }
});

test("EXTRACTOR_MODEL names one model that can be called; any other turns only the extractor off", () => {
  expect(parse({ EXTRACTOR_MODEL: "workers-ai:@cf/a" }).extractorModel).toBe("workers-ai:@cf/a");
  expect(parse({}).extractorModel).toBeNull();
  for (const EXTRACTOR_MODEL of ["openai-compatible:reader", "reader", "workers-ai:@cf/a,workers-ai:@cf/b"]) {
    const wrong = parse({ EXTRACTOR_MODEL });
    expect([faults(wrong), wrong.extractorModel]).toEqual([[["EXTRACTOR_MODEL", "F"]], null]);
    expect(wrong.models).not.toBeNull();
  }
});
