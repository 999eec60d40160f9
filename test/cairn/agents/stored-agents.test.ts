import { beforeEach, describe, expect, test } from "vitest";
import { fileAgents } from "../../../src/cairn/agents/known.ts";
import { deploymentAgents, type AgentCache } from "../../../src/cairn/agents/stored/stored-agents.ts";
import { AGENT_TTL_MS } from "../../../src/cairn/core/limits.ts";
import { defaultAgent } from "../../fixtures/deployment/agent.ts";
import { NO_TOOLS } from "../../fixtures/agents.ts";

/** An isolate's cache of agents that are stored in D1: no entry is older than allowed. */

let now = 0;
let cache: AgentCache = new Map();
const rows = new Map<string, string>();
let reads: string[] = [];
let reported: unknown[] = [];
let down = false;
/** a session of this isolate */
const open = () =>
  deploymentAgents({
    files: fileAgents({ default: defaultAgent }),
    read: async (name) => {
      reads.push(name);
      if (down) throw new Error("D1_ERROR");
      return rows.get(name) ?? null;
    },
    context: { tools: NO_TOOLS, models: null, admins: null, options: new Map() },
    cache,
    clock: () => now,
    report: (error) => reported.push(error),
  });
const saying = (description: string) => JSON.stringify({ description });
const found = (name: string) => {
  const agent = open().find(name);
  return agent.ok ? agent.value.description : agent.error.kind;
};

beforeEach(() => {
  now = 1_000_000;
  cache = new Map();
  rows.clear();
  reads = [];
  reported = [];
  down = false;
});

describe("a stored agent", () => {
  test("is read once for all sessions of an isolate, and again when that is some seconds ago", async () => {
    rows.set("writer", saying("One."));
    await open().load("writer");
    rows.set("writer", saying("Two."));
    now += AGENT_TTL_MS;
    await open().load("writer");
    expect([found("writer"), reads]).toEqual(["One.", ["writer"]]);
    now += 1;
    expect(found("writer")).toBe("unread");
    await open().load("writer");
    expect([found("writer"), reads]).toEqual(["Two.", ["writer", "writer"]]);
  });

  test("that nobody has loaded is not known, and no word of it is a guess", () => {
    rows.set("writer", saying("One."));
    expect([found("writer"), reads]).toEqual(["unread", []]);
  });

  test("that is not there is looked for again at once: it may just have been stored", async () => {
    await open().load("writer");
    expect(found("writer")).toBe("unknown");
    rows.set("writer", saying("One."));
    await open().load("writer");
    expect(found("writer")).toBe("One.");
  });

  test("that cannot be read is none, is reported, and is read again at once", async () => {
    rows.set("writer", saying("One."));
    down = true;
    await open().load("writer");
    expect([found("writer"), reported.length]).toEqual(["unavailable", 1]);
    down = false;
    await open().load("writer");
    expect(found("writer")).toBe("One.");
  });

  test.each([
    ["a tool that is gone", '{"description":"x","tools":["page_gone"]}'],
    ["a field of another version", '{"description":"x","mood":"good"}'],
    ["no JSON", "{"],
    ["no object", "[]"],
  ])("with %s is none", async (_name, body) => {
    rows.set("writer", body);
    await open().load("writer");
    expect(found("writer")).toBe("broken");
  });

  test("is suggested while it is known, beside the files", async () => {
    rows.set("writer", saying("One."));
    await open().load("writer");
    await open().load("nobody");
    expect(open().names()).toEqual(["default", "writer"]);
  });

  test("is forgotten in time, so that names that are asked for do not pile up", async () => {
    for (let n = 0; n < 50; n++) await open().load(`name-${n}`);
    now += AGENT_TTL_MS + 1;
    await open().load("last");
    expect([...cache.keys()]).toEqual(["last"]);
  });
});

test("a file is what its name means, and costs no read", async () => {
  rows.set("default", saying("Somebody else."));
  await open().load("default");
  expect(reads).toEqual([]);
  expect(found("default")).not.toBe("Somebody else.");
});
