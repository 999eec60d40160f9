import { expect, test } from "vitest";
import { Registry } from "../../../../src/cairn/tools/registry.ts";
import { definitionSchema } from "../../../../src/cairn/tools/stored/definition.ts";
import { storedPack } from "../../../../src/cairn/tools/stored/pack.ts";
import { orderOf } from "../registry-fixture.ts";

const definition = definitionSchema.parse({
  method: "PUT",
  url: "https://api.example.com/items/{id}",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" }, size: { type: "integer", maximum: 9 } },
    required: ["id"],
  },
  headers: { Authorization: "Bearer secret:SHOP_KEY" },
});
const secrets = { SHOP_KEY: { value: "top-secret-value", hosts: ["api.example.com"] } };
const registry = (env: object = { HTTP_SECRETS: secrets }) =>
  new Registry("test", () => 0).add(storedPack([{ name: "set_item", definition }]), env);
const signal = new AbortController().signal;

test("a person sees the method, the whole address, the headers without the secret, and the body", async () => {
  const previewed = await registry().preview(orderOf("set_item", { id: "a/b", size: 2 }), signal);
  expect(previewed).toMatchObject({
    kind: "ok",
    preview: {
      need: { kind: "ask" },
      summary: "Sends PUT to https://api.example.com/items/a%2Fb with 10 characters.",
      impact: [
        "PUT https://api.example.com/items/a%2Fb",
        "Authorization: Bearer secret:SHOP_KEY",
        "Content-Type: application/json",
        '{"size":2}',
      ],
    },
  });
  expect(JSON.stringify(previewed)).not.toContain("top-secret-value");
});

test("arguments are held against the schema, and a secret that is not for the host is refused before anybody is asked", async () => {
  expect(registry().check("set_item", { id: "a", size: 10 }).ok).toBe(false);
  expect(registry().check("set_item", { id: "a", other: 1 }).ok).toBe(false);
  const elsewhere = { HTTP_SECRETS: { SHOP_KEY: { ...secrets.SHOP_KEY, hosts: ["other.example.com"] } } };
  expect(await registry(elsewhere).preview(orderOf("set_item", { id: "a" }), signal)).toMatchObject({
    kind: "failed",
    failure: { code: "secret_refused" },
  });
});

test("a tool that was changed after a person agreed is not run, and another definition is another version", async () => {
  const approved = { approval: "a1", basis: "sha256:of-before" };
  expect(await registry().run(orderOf("set_item", { id: "a" }, { approved }), signal)).toMatchObject({
    kind: "failed",
    failure: { code: "tool_changed" },
    lost: false,
  });
  const other = storedPack([{ name: "set_item", definition: { ...definition, method: "PATCH" } }]);
  const [card] = new Registry("test", () => 0).add(other, {}).cards();
  expect(card?.version).not.toBe(registry().cards()[0]?.version);
});

test("a server on this machine is reached where an operator has named it, and otherwise refused with how to name it", async () => {
  const local = definitionSchema.parse({ method: "POST", url: "http://127.0.0.1:3001/things" });
  const previewOf = async (env: object) =>
    await new Registry("test", () => 0)
      .add(storedPack([{ name: "add_thing", definition: local }]), env)
      .preview(orderOf("add_thing", {}), signal);
  expect(await previewOf({ HTTP_LOCAL: "http://127.0.0.1:3001/" })).toMatchObject({ kind: "ok" });
  expect(await previewOf({})).toMatchObject({
    kind: "failed",
    failure: {
      code: "url_port",
      hint: "An operator names the origin of a server on this machine in HTTP_LOCAL.",
    },
  });
  expect(await previewOf({ HTTP_LOCAL: "http://10.0.0.1" })).not.toMatchObject({ kind: "ok" });
});
