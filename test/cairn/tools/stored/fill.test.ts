import { describe, expect, test } from "vitest";
import { ToolError } from "../../../../src/cairn/tools/define.ts";
import { definitionSchema } from "../../../../src/cairn/tools/stored/definition.ts";
import { fillRequest } from "../../../../src/cairn/tools/stored/fill.ts";

/** Code, place, and that nothing was done, of the refusal; null where there is none. */
function faultOf(act: () => unknown): readonly unknown[] | null {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return [error.failure.code, error.failure.at, error.nothingDone];
  }
}

const text = { type: "string" };
const base = {
  method: "POST",
  url: "https://api.example.com/v1/items/{id}/notes?lang={lang}&v=2",
  inputSchema: {
    type: "object",
    properties: { id: text, lang: text, trace: text, title: text, count: { type: "integer" } },
    required: ["id"],
  },
  headers: { Authorization: "Bearer secret:SHOP_KEY", "X-Trace": "t-{trace}" },
} as const;
const tool = definitionSchema.parse(base);

test("arguments go to their places, what is left out leaves no trace, and the rest is the body", () => {
  expect(fillRequest(tool, { id: "a b", lang: "de", trace: "7", title: "Hi", count: 2 })).toEqual({
    method: "POST",
    url: "https://api.example.com/v1/items/a%20b/notes?lang=de&v=2",
    headers: {
      Authorization: "Bearer secret:SHOP_KEY",
      "X-Trace": "t-7",
      "Content-Type": "application/json",
    },
    body: '{"title":"Hi","count":2}',
  });
  expect(fillRequest(tool, { id: "1" })).toEqual({
    method: "POST",
    url: "https://api.example.com/v1/items/1/notes?v=2",
    headers: { Authorization: "Bearer secret:SHOP_KEY" },
  });
});

describe("an argument does not leave its place", () => {
  test.each([
    ["a slash and a host", { id: "//evil.example/x" }, "/v1/items/%2F%2Fevil.example%2Fx/notes"],
    ["a query and a fragment", { id: "1?admin=1#x" }, "/v1/items/1%3Fadmin%3D1%23x/notes"],
    ["credentials", { id: "a@evil.example:80" }, "/v1/items/a%40evil.example%3A80/notes"],
    ["an encoded slash", { id: "%2fadmin" }, "/v1/items/%252fadmin/notes"],
    ["letters of other scripts", { id: "é／日" }, "/v1/items/%C3%A9%EF%BC%8F%E6%97%A5/notes"],
  ])("%s is encoded", (_name, input, path) => {
    expect(new URL(fillRequest(tool, input).url).pathname).toBe(path);
  });

  test("another field of the query is encoded", () => {
    expect(fillRequest(tool, { id: "1", lang: "de&v=3#x y+z" }).url).toBe(
      "https://api.example.com/v1/items/1/notes?lang=de%26v%3D3%23x%20y%2Bz&v=2",
    );
  });

  test.each([
    ["upwards", { id: ".." }, "id"],
    ["here", { id: "." }, "id"],
    ["upwards behind a slash", { id: "a/../../admin" }, "id"],
    ["upwards with backslashes", { id: "a\\..\\admin" }, "id"],
    ["upwards, encoded", { id: "%2e%2e" }, "id"],
    ["upwards, encoded twice", { id: "%252e%252e%252fadmin" }, "id"],
    ["upwards with a parameter", { id: "..;x/admin" }, "id"],
    ["an empty segment", { id: "" }, "id"],
    ["a null character", { id: "a\u0000" }, "id"],
    ["half a character", { id: "\ud800" }, "id"],
    ["a second header", { id: "1", trace: "x\r\nHost: evil.example" }, "trace"],
    ["a letter that no header has", { id: "1", trace: "é" }, "trace"],
    ["a secret in a header", { id: "1", trace: "secret:OTHER_KEY" }, "trace"],
    ["a missing segment", {}, "id"],
  ])("%s is refused", (_name, input, at) => {
    expect(faultOf(() => fillRequest(tool, input))).toEqual(["invalid_input", at, true]);
  });
});

test.each([
  ["a host from an argument", { url: "https://{id}.example.com/" }, "url"],
  ["a scheme from an argument", { url: "{id}://example.com/" }, "url"],
  ["credentials", { url: "https://a:b@example.com/" }, "url"],
  ["a fragment", { url: "https://example.com/#{id}" }, "url"],
  ["another scheme", { url: "ftp://example.com/{id}" }, "url"],
  ["a name of the query from an argument", { url: "https://example.com/?{id}=1" }, "url"],
  ["dots in the path", { url: "https://example.com/a/../{id}" }, "url"],
  ["a field that the schema does not have", { url: "https://example.com/{other}" }, "inputSchema"],
  ["a reserved header", { headers: { Host: "evil.example" } }, "headers"],
  ["two lines in a header", { headers: { "X-A": "a\r\nb: c" } }, "headers"],
  ["a read that says it is none", { method: "GET", effect: "once" }, "effect"],
  ["a schema of a text", { inputSchema: { type: "string" } }, "inputSchema"],
  ["an unknown field", { script: "x" }, ""],
])("a definition with %s is refused", (_name, change, path) => {
  const read = definitionSchema.safeParse({ ...base, ...change });
  expect(read.error?.issues.map((issue) => String(issue.path[0] ?? ""))).toContain(path);
});
