import { readFileSync } from "node:fs";
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import {
  actorOfGrant,
  grantNamed,
  grantsOf,
  peopleWhoseRightsEnd,
} from "../../../src/cairn/config/rights.ts";
import { parseTokens, type Grant } from "../../../src/cairn/config/tokens.ts";
import { sha256Hex } from "../../../src/cairn/core/log/digest.ts";

/** Rights are looked up when they are used. */

const TOKEN = "ada-rights-token-0001";
const NOW = Date.UTC(2026, 0, 1);
const tokensOf = (entry: object, token = TOKEN): readonly Grant[] => {
  const grants = parseTokens({ [token]: entry }, (message) => {
    throw new Error(message);
  });
  if (grants === null) throw new Error("no tokens");
  return grants;
};
const people = (entry: object, token = TOKEN) => ({ tokens: tokensOf(entry, token), anonymous: false });
const ADA = { subject: "ada", scopes: ["read", "send"] };
const name = tokensOf(ADA)[0]?.name ?? "";
const held = { subject: "ada", grants: [name], scopes: ["read", "send"] };

test("a grant keeps its name with other scopes and another end, and loses it with its token or its subject", () => {
  const nameOf = (entry: object, token?: string) => tokensOf(entry, token)[0]?.name;
  expect(nameOf({ ...ADA, scopes: ["read"] })).toBe(name);
  expect(nameOf({ ...ADA, expires: "2030-01-01" })).toBe(name);
  expect(nameOf({ ...ADA, subject: "bob" })).not.toBe(name);
  expect(nameOf(ADA, "ada-rights-token-0002")).not.toBe(name);
});

test("a name that an earlier release has stored is good as long as nothing of the entry changes", () => {
  const digest = sha256Hex(TOKEN);
  const former = sha256Hex(JSON.stringify(["grant", digest, "ada", ["read", "send"], null])).slice(0, 32);
  expect(grantNamed(people(ADA), former, NOW)?.subject).toBe("ada");
  expect(grantNamed(people({ ...ADA, scopes: ["read"] }), former, NOW)).toBeNull();
});

test("what is given is what both allow, at that moment", () => {
  expect(actorOfGrant(people(ADA), held, NOW)).toEqual({
    subject: "ada",
    scopes: ["read", "send"],
    grant: name,
  });
  expect(actorOfGrant(people({ ...ADA, scopes: ["read", "approve"] }), held, NOW)?.scopes).toEqual(["read"]);
  expect(actorOfGrant(people({ ...ADA, scopes: ["admin"] }), held, NOW)?.scopes).toEqual(["read", "send"]);
  // A grant with every scope shrinks to the scopes that the person has.
  expect(actorOfGrant(people(ADA), { ...held, scopes: ["admin"] }, NOW)?.scopes).toEqual(["read", "send"]);
  expect(actorOfGrant(people({ ...ADA, scopes: [] }), held, NOW)?.scopes).toEqual([]);
});

test("nothing is given by a grant that is gone, is over, or is somebody else's", () => {
  expect(actorOfGrant({ tokens: [], anonymous: false }, held, NOW)).toBeNull();
  expect(actorOfGrant({ tokens: [], anonymous: true }, held, NOW)).toBeNull();
  expect(actorOfGrant(people({ ...ADA, expires: "2026-01-01" }), held, NOW)).toBeNull();
  expect(actorOfGrant(people({ ...ADA, expires: "2026-01-02" }), held, NOW)?.expiresAt).toBe(
    NOW + 86_400_000,
  );
  expect(actorOfGrant(people({ ...ADA, subject: "bob" }), held, NOW)).toBeNull();
  expect(actorOfGrant(people(ADA, "ada-rights-token-0002"), held, NOW)).toBeNull();
  expect(actorOfGrant(people(ADA), { subject: null, grants: null, scopes: ["read"] }, NOW)).toBeNull();
});

test("a record without a grant is worth what its subject's grants give, and the anonymous only where they are let in", () => {
  expect(actorOfGrant(people(ADA), { ...held, grants: null }, NOW)?.scopes).toEqual(["read", "send"]);
  expect(actorOfGrant(people({ ...ADA, subject: "bob" }), { ...held, grants: null }, NOW)).toBeNull();
  const nobody = { subject: "anonymous", grants: null, scopes: ["admin"] };
  expect(actorOfGrant({ tokens: [], anonymous: true }, nobody, NOW)?.scopes).toContain("admin");
  expect(actorOfGrant({ tokens: [], anonymous: false }, nobody, NOW)).toBeNull();
});

test("several grants of a subject give together what each gives, and end with the last", () => {
  const tokens = [
    ...tokensOf({ ...ADA, expires: "2027-01-01" }),
    ...tokensOf({ ...ADA, scopes: ["approve"], expires: "2028-01-01" }, "ada-rights-token-0002"),
    ...tokensOf({ ...ADA, scopes: ["admin"], expires: "2025-01-01" }, "ada-rights-token-0003"),
  ];
  const both = actorOfGrant({ tokens, anonymous: false }, { ...held, grants: null, scopes: ["admin"] }, NOW);
  expect(both).toMatchObject({ scopes: ["read", "send", "approve"], expiresAt: Date.UTC(2028, 0, 1) });
  expect(grantsOf({ tokens }, "ada", NOW)).toEqual([tokens[1]?.name, tokens[0]?.name]);
  expect(peopleWhoseRightsEnd({ tokens: [], anonymous: true })).toBeNull();
  expect(peopleWhoseRightsEnd({ tokens: [], anonymous: false })).not.toBeNull();
});

test("every file that looks rights up is named in the table of entry points", () => {
  const table = readFileSync("test/worker/approvals/rights.test.ts", "utf8");
  const looksUp = /\b(?:actorOfGrant|grantNamed|presentActor)\(/;
  const files = globSync("src/**/*.ts")
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file !== "src/cairn/config/rights.ts" && looksUp.test(readFileSync(file, "utf8")));
  expect(files.length).toBeGreaterThan(7);
  expect(files.filter((file) => !table.includes(`at: "${file}"`))).toEqual([]);
});

test("nothing reads AUTH_TOKENS past the one function that looks rights up", () => {
  // Logging in, signing tickets and counting tokens need no rights of anybody who is away.
  const mayRead = new Set([
    "src/cairn/config/rights.ts",
    "src/cairn/config/config.ts",
    "src/cairn/http/kit/credentials.ts",
    "src/cairn/http/routes/deployment.ts",
    "src/cairn/session/commands/callers.ts",
  ]);
  const reads = globSync("src/{cairn,plugins}/**/*.ts")
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /config\.tokens\b|people\??\.tokens\b/.test(readFileSync(file, "utf8")));
  expect(reads.filter((file) => !mayRead.has(file))).toEqual([]);
});
