import { describe, expect, test } from "vitest";
import { isModelHead, isRulesName, modelText, parseModelName } from "../../../src/cairn/core/log/model.ts";
import {
  modelAllowed,
  modelGap,
  parseConfig,
  type Config,
  type OwnModels,
} from "../../../src/cairn/config/config.ts";
import { parseRunRequest } from "../../../src/cairn/protocol/run-spec/parse.ts";

/** Models of a project, by name, wherever a variable or a run names a model. */

const OWN: OwnModels = new Map([
  ["claude", null],
  ["gpt", null],
  ["old", "is of another version of the AI SDK"],
]);
const parse = (variables: Record<string, unknown>, own: OwnModels | undefined = OWN): Config =>
  parseConfig({ SESSION: {}, DB: {}, MEDIA: {}, ...variables }, own);
const messages = (config: Config): string[] =>
  config.problems.map(({ variable, message }) => `${variable}: ${message}`);
const OLD = "models: The model old of createCairn is of another version of the AI SDK.";

describe("a project's model", () => {
  test("is selected by MODEL, and named by every other variable for models", () => {
    const config = parse({
      MODEL: "claude",
      MODEL_FALLBACKS: "gpt",
      MODELS_ALLOWED: "cla*,gpt",
      MODEL_PRICES: '{"claude":{"input":3,"output":15}}',
      MODEL_WINDOWS: '{"gpt":400000}',
      DIALECTS: '{"g*":"json"}',
      VISION_MODELS: "claude",
      EXTRACTOR_MODEL: "gpt",
    });
    expect(messages(config)).toEqual([OLD]);
    expect(config).toMatchObject({
      modelName: "claude",
      models: { primary: { provider: "own", id: "claude" }, fallbacks: [{ provider: "own", id: "gpt" }] },
      prices: { claude: { input: 3, output: 15 } },
      windows: { gpt: 400_000 },
      dialects: { "g*": "json" },
      visionModels: ["claude"],
      extractorModel: "gpt",
    });
    const { models } = config;
    if (models === null) throw new Error("no model can be called");
    const allows = (id: string): boolean => modelAllowed(models, { provider: "own", id });
    expect(["claude", "gpt", "old"].map(allows)).toEqual([true, true, false]);
  });

  test("that does not exist is a problem with the names that do, and no run starts", () => {
    const config = parse({ MODEL: "claud" });
    expect(config.models).toBeNull();
    expect(messages(config)).toContainEqual(
      expect.stringMatching(/^MODEL: Must be claude, gpt, old, workers-ai:<id>, .* gateway:<id>\.$/),
    );
    for (const variable of ["MODEL_FALLBACKS", "MODELS_ALLOWED", "VISION_MODELS", "EXTRACTOR_MODEL"])
      expect(messages(parse({ MODEL: "claude", [variable]: "claud" }))).toContainEqual(
        expect.stringMatching(new RegExp(`^${variable}: Model 1 must be claude, gpt, old, `, "i")),
      );
  });

  test("that cannot be called is a problem of its own, and of MODEL where it is selected", () => {
    expect(parse({ MODEL: "claude" }).problems.map((one) => one.class)).toEqual(["F"]);
    const config = parse({ MODEL: "old" });
    expect(messages(config)).toEqual([OLD, "MODEL: The model is of another version of the AI SDK."]);
    expect(config.models).toBeNull();
  });

  test("has a name that is nothing else's: without models all is as before", () => {
    expect(messages(parse({ MODEL: "claude" }, new Map()))).toEqual([
      expect.stringMatching(/^MODEL: Must be workers-ai:<id>/),
    ]);
    expect([parseModelName("claude"), parseModelName("claude:x", ["claude"])]).toEqual([null, null]);
    expect(modelText({ provider: "own", id: "claude" })).toBe("claude");
    expect(
      ["cla*", "*", "x*", "rehearsal:*", "workers-ai:@cf/*"].map((text) =>
        isModelHead(text, ["claude", "rehearsal:"]),
      ),
    ).toEqual([true, false, false, true, true]);
  });

  test("is taken by its name where the names cannot be seen (the check before a deployment)", () => {
    const { models, problems } = parse({ MODEL: "claude" }, null);
    expect(problems).toEqual([]);
    expect(models === null ? "" : modelGap(models, models.primary)).toBeNull();
    expect(messages(parse({ MODEL: "claude:5" }, null))).toHaveLength(1);
  });
});

describe("rules of a plugin", () => {
  const rules: OwnModels = new Map([...(OWN ?? []), ["rehearsal:", null], ["echo:", null]]);

  test("are the model where MODEL is unset: those of the first plugin that has any", () => {
    const config = parse({}, rules);
    expect(config.modelName).toBe("rehearsal:");
    expect(config.models).toMatchObject({
      primary: { provider: "rules", id: "rehearsal:" },
      allowed: ["rehearsal:", "echo:"],
    });
    expect(parse({ MODEL: "echo:" }, rules).modelName).toBe("echo:");
  });

  test("that no plugin brings are a problem of class M that says so", () => {
    for (const own of [OWN, new Map()]) {
      const { problems, models } = parse({ MODEL: "rehearsal:" }, own);
      expect(models).toBeNull();
      expect(problems.filter(({ variable }) => variable === "MODEL")).toEqual([
        {
          variable: "MODEL",
          class: "M",
          message: expect.stringMatching(
            /^No plugin of this project brings the model rehearsal:\. Add it to plugins, or use .*workers-ai:<id>/,
          ),
        },
      ]);
    }
  });

  test("are needed where MODEL is unset, but for the check before a deployment, which cannot see them", () => {
    expect(parse({}, new Map()).problems).toMatchObject([{ variable: "MODEL", class: "M" }]);
    expect(parse({}, null)).toMatchObject({ problems: [], modelName: null, models: null });
    expect(parse({ MODEL: "rehearsal:" }, null)).toMatchObject({ problems: [], modelName: "rehearsal:" });
  });

  test("have names that no provider has", () => {
    const names = [
      "rehearsal:",
      "a-1:",
      "workers-ai:",
      "Rules:",
      "rehearsal:x",
      "rehearsal",
      `${"a".repeat(33)}:`,
    ];
    expect(names.filter(isRulesName)).toEqual(["rehearsal:", "a-1:"]);
    expect(modelText({ provider: "rules", id: "rehearsal:" })).toBe("rehearsal:");
  });
});

test("a run that names a model of the project gets it, and any other bare name is of the OpenAI-compatible API", () => {
  const known = {
    agents: null,
    packs: null,
    tools: null,
    unavailable: {},
    ownModels: ["claude", "gpt"],
    modelFault: (name: string) => (name.startsWith("openai-compatible:bad") ? "no" : null),
  };
  const asked = (fields: object): unknown => {
    const parsed = parseRunRequest({ objective: "Go.", ...fields }, known);
    return parsed.ok
      ? [parsed.request.options.model, parsed.request.options.fallbacks]
      : parsed.issues.map(({ path }) => path);
  };
  expect(asked({ model: "claude", fallback_models: ["llama3", "gpt", "rehearsal:"] })).toEqual([
    "claude",
    ["openai-compatible:llama3", "gpt", "rehearsal:"],
  ]);
  expect(asked({ model: "openai-compatible:claude" })).toEqual(["openai-compatible:claude", undefined]);
  expect(asked({ model: "gpt", fallback_models: ["claude", "bad"] })).toEqual(["fallback_models[1]"]);
  expect(asked({})).toEqual([undefined, undefined]);
});
