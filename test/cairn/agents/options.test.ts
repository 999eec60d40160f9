import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { defineAgent, type AgentDefinition } from "../../../src/cairn/agents/define.ts";
import { readDefinition } from "../../../src/cairn/agents/stored/read-definition.ts";
import { readOptions } from "../../../src/cairn/agents/stored/read-options.ts";
import { optionsFor, optionSchemas } from "../../../src/cairn/agent-options.ts";
import type { JsonObject } from "../../../src/cairn/core/log/json.ts";
import { optionsFault } from "../../../src/cairn/core/log/plugin-options.ts";
import { offered, type Plugin, type SessionPart } from "../../../src/cairn/plugin.ts";
import { checkProject } from "../../../src/cairn/project.ts";
import { sessionOf } from "../../../src/cairn/testing/index.ts";
import { definePack, defineTool } from "../../../src/cairn/tools/define.ts";
import { houseStyle } from "../../fixtures/docs/house-style.ts";

/** Values that agents set for plugins: read by the plugin, in code and over the API, and handed to it in each run. */

type RoomOptions = { readonly rooms: readonly string[] };
const roomOptions: z.ZodType<RoomOptions> = z.strictObject({
  rooms: z.array(z.string().max(20)).max(3).default([]),
});
const input = z.strictObject({ room: z.string() });
const bookRoom = defineTool<null, typeof input, { readonly booked: string }>({
  name: "book_room",
  description: "Books a room.",
  input,
  effect: "keyed",
  tier: "write",
  narrowed: {
    withheld: (options?: RoomOptions) => (options?.rooms.length === 0 ? "Its agent books no rooms." : null),
    refused: ({ room }, options?: RoomOptions) => {
      if (room === "broken") throw new Error("at key-1234");
      if (options === undefined || options.rooms.includes(room)) return null;
      const message = `This agent books ${options.rooms.join()} alone.`;
      return { class: "policy", code: "other_room", message, retryable: false };
    },
  },
  run: async ({ room }) => ({ booked: room }),
});
/** A pack that does not have the name of its plugin. */
const booking = definePack<null, null>({
  name: "booking",
  tools: [bookRoom],
  prompts: [],
  services: () => null,
});
const rooms = (name = "rooms"): Plugin<SessionPart, unknown, RoomOptions> => ({
  name,
  options: roomOptions,
  tools: () => [offered(booking, null)],
});

const agentWith = (options: AgentDefinition["options"]) =>
  defineAgent({ description: "Keeps the office.", ...(options === undefined ? {} : { options }) });
const plugins = [rooms(), houseStyle(), { name: "files" }];
const specOf = (options: AgentDefinition["options"]) =>
  checkProject({ agents: { default: agentWith(options) }, plugins });

describe("options of an agent in code", () => {
  test("are as its plugins read them, with what is left out", () => {
    expect(
      specOf({ rooms: {}, "house-style": { language: "German" } }).agents.deployment.spec.options,
    ).toEqual({
      rooms: { rooms: [] },
      "house-style": { language: "German", wordsMax: 200 },
    });
    for (const none of [undefined, {}])
      expect(specOf(none).agents.deployment.spec).not.toHaveProperty("options");
  });

  test.each<[JsonObject, string]>([
    [
      { rooms: "red" },
      "createCairn: options.rooms.rooms of the agent default does not fit. It must be a list.",
    ],
    [
      { rooms: [7] },
      "createCairn: options.rooms.rooms[0] of the agent default does not fit. It must be text.",
    ],
    [
      { room: [] },
      "createCairn: options.rooms.room of the agent default does not fit. This field is not known.",
    ],
  ])("that their plugin refuses are refused at load: %j", (own, message) => {
    expect(() => specOf({ rooms: own })).toThrow(message);
  });

  test("of no plugin are a problem, and the agent works without them", () => {
    const { agents, problems } = specOf({ files: {}, constructor: {}, rooms: {} });
    expect(agents.deployment.spec.options).toEqual({ rooms: { rooms: [] } });
    const absent = "No plugin of this deployment takes options under this name.";
    const next = "Add the plugin, or remove the options.";
    expect(problems).toEqual([
      { about: "src/agents: default, options.files", message: `${absent} ${next}` },
      { about: "src/agents: default, options.constructor", message: `${absent} ${next}` },
    ]);
  });

  test("under a misspelt name of a plugin are refused at load, because the agent would be less narrow without them", () => {
    expect(() => specOf({ room: { rooms: [] } })).toThrow(
      "createCairn: options.room of the agent default: No plugin of this deployment takes options under this name. Is it rooms?",
    );
  });

  test("that their plugin makes too large are refused", () => {
    const grown = z.strictObject({}).transform(() => ({ text: "x".repeat(40_000) }));
    const { options, faults } = readOptions({ rooms: {} }, new Map([["rooms", grown]]));
    expect(options).toEqual({});
    expect(faults).toMatchObject([{ path: "options.rooms" }]);
  });

  test.each<[RegExp, unknown]>([
    [/^options of an agent is an object with an object for each plugin$/, []],
    [/^options of an agent is an object with an object for each plugin$/, { rooms: ["red"] }],
    [/^options of an agent: It must have names of plugins: /, { Rooms: {} }],
    [
      /^options of an agent: As JSON it must have at most 32768 bytes\.$/,
      { rooms: { rooms: ["x".repeat(32_768)] } },
    ],
  ])("that are out of bounds are refused: %s", (message, options) => {
    expect(() => agentWith(options as AgentDefinition["options"])).toThrow(message);
  });

  test("are nested at most 16 levels deep", () => {
    const nested = (levels: number): JsonObject => (levels === 1 ? {} : { a: nested(levels - 1) });
    expect([optionsFault({ a: nested(15) }), optionsFault({ a: nested(16) })]).toEqual([
      null,
      "It must be nested at most 16 levels deep.",
    ]);
  });

  test("of one plugin are by the agents that have any", () => {
    const { agents } = checkProject({
      agents: { default: agentWith(undefined), writer: agentWith({ rooms: { rooms: ["red"] } }) },
      plugins,
    });
    expect(optionsFor(agents.all, "rooms")).toEqual({ writer: { rooms: ["red"] } });
    expect(optionsFor(agents.all, "constructor")).toEqual({});
  });
});

describe("options of an agent as JSON", () => {
  const tools = { cards: () => [], notOffered: () => [], listedNames: () => [] };
  const ground = { tools, models: null, admins: null, options: optionSchemas(plugins) };
  const read = (options: unknown) => readDefinition({ description: "x", options }, ground);

  test("are stored as they came, and mean what their plugins read", () => {
    expect(read({ rooms: {} })).toMatchObject({
      ok: true,
      value: {
        definition: { options: { rooms: {} } },
        agent: { spec: { options: { rooms: { rooms: [] } } } },
      },
    });
  });

  test.each<[unknown, object]>([
    [{ rooms: { rooms: "red" } }, { path: "options.rooms.rooms", code: "wrong_type" }],
    [{ rooms: { rooms: ["a", "b", "c", "d"] } }, { path: "options.rooms.rooms", code: "out_of_range" }],
    [{ rooms: { roms: [] } }, { path: "options.rooms.roms", code: "unknown_field" }],
    [
      { "house-style": { langage: "German", language: "German" } },
      { path: "options.house-style.langage", code: "unknown_field", suggestion: "language" },
    ],
    [{ room: {} }, { path: "options.room", code: "unknown_field", suggestion: "rooms" }],
    [{ files: {} }, { path: "options.files", code: "unknown_field" }],
    [{ rooms: [] }, { path: "options.rooms", code: "wrong_type" }],
    [[], { path: "options", code: "wrong_type" }],
    [{ Rooms: {} }, { path: "options", code: "out_of_range" }],
  ])("that do not fit are refused with their place: %j", (options, issue) => {
    expect(read(options)).toMatchObject({ ok: false, error: [issue] });
  });

  test("whose plugin throws, or reads no object, are refused", () => {
    const failing = z.strictObject({}).transform((): JsonObject => {
      throw new Error("no room");
    });
    const list = z.strictObject({}).transform(() => [] as unknown as JsonObject);
    for (const schema of [failing, list]) {
      const options = new Map([["rooms", schema]]);
      expect(
        readDefinition({ description: "x", options: { rooms: {} } }, { ...ground, options }),
      ).toMatchObject({
        ok: false,
        error: [{ path: "options.rooms", code: "wrong_type", message: "Its plugin cannot read it." }],
      });
    }
  });
});

describe("in a run", () => {
  const book = { calls: [["book_room", { room: "red" }]] as [string, JsonObject][] };
  // Said twice: an answer after a failed call is sent back once.
  const done = { text: "That is all that I could do." };
  const runOf = async (options: AgentDefinition["options"], of = plugins, call = book) => {
    const session = sessionOf({ plugins: of, agent: agentWith(options) }, [call, done, done]);
    await session.say("Book the red room.");
    return session;
  };

  test("a tool is narrowed by the options of its plugin, whatever its pack is named", async () => {
    expect((await runOf({ rooms: { rooms: ["red"] } })).calls).toMatchObject([{ status: "ok" }]);
    expect((await runOf(undefined)).calls).toMatchObject([{ status: "ok" }]);
    const other = await runOf({ rooms: { rooms: ["blue"] } });
    expect(other.log).toContainEqual(
      expect.objectContaining({
        kind: "call_settled",
        body: expect.objectContaining({ failure: expect.objectContaining({ code: "other_room" }) }),
      }),
    );
    const none = await runOf({ rooms: {} });
    expect(none.requests[0]?.tools.map(({ name }) => name)).not.toContain("book_room");
    // Options for another plugin change nothing of it.
    const elsewhere = await runOf({ booking: { rooms: [] } }, [
      rooms(),
      { ...rooms("booking"), tools: () => [] },
    ]);
    expect(elsewhere.calls).toMatchObject([{ status: "ok" }]);
  });

  test("a tool that fails on them refuses its call, and says nothing of why", async () => {
    const tail = vi.spyOn(console, "error").mockReturnValue();
    const broken = { calls: [["book_room", { room: "broken" }]] as [string, JsonObject][] };
    const { calls } = await runOf({ rooms: { rooms: ["red"] } }, plugins, broken);
    expect(calls).toMatchObject([{ status: "refused" }]);
    expect(calls[0]?.observation).toContain("book_room fails on the options of its agent.");
    expect(calls[0]?.observation).not.toContain("key-1234");
    expect(tail).toHaveBeenCalled();
    tail.mockRestore();
  });

  test("the prompt has what a plugin says under them, and the log has them as they were read", async () => {
    const { requests, log } = await runOf({ "house-style": { language: "German" } });
    expect(requests[0]?.instructions).toContain("Answer in German, in at most 200 words.");
    expect(log.find(({ kind }) => kind === "run_queued")).toMatchObject({
      body: { spec: { options: { "house-style": { language: "German", wordsMax: 200 } } } },
    });
    expect((await runOf(undefined)).requests[0]?.instructions).not.toContain("Answer in");
  });
});
