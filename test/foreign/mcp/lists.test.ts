import { describe, expect, test } from "vitest";
import { callTool, listTools } from "../../../src/plugins/mcp-client/connection.ts";
import { lists } from "./lists.ts";
import { answers } from "./answers.ts";
import { LANES, openRaw } from "./raw-server.ts";

/** Lists and answers of other people's servers, read as before a run and in a call. */

const takes = { type: "object", properties: {} };

describe.each(LANES)("a server of %s", (lane) => {
  test.each(lists)("lists tools with $name", async ({ input, value }) => {
    for (const form of ["json", "stream"] as const) {
      const raw = openRaw(
        lane,
        (_method, { cursor }) => input(typeof cursor === "string" ? cursor : undefined),
        form,
      );
      const { tools, left, odd } = await listTools(raw.parts, () => 1);
      expect({
        tools: tools.map(({ name }) => name),
        requests: raw.asked.filter((method) => method === "tools/list").length,
        odd: odd?.toSorted(),
        left: left.map(({ tool, why }) => `${tool}: ${why}`),
      }).toEqual({ left: [], ...value, odd: value.odd.toSorted() });
    }
  });

  test.each(answers)("answers a call with $name", async ({ input, value }) => {
    const raw = openRaw(lane, (method) => ({
      result: method === "tools/list" ? { tools: [{ name: "t", inputSchema: takes }] } : input,
    }));
    const listing = await listTools(raw.parts, () => 1);
    const [tool] = listing.tools;
    if (tool === undefined) throw new Error("no tool is listed");
    const answer = await callTool(raw.parts, listing, tool, {}).catch((error: unknown) => String(error));
    expect(answer).toEqual(value);
  });
});
