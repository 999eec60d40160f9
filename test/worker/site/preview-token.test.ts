import { expect, test } from "vitest";
import { checkPreviewToken, mintPreviewToken, PREVIEW_MAX_MS } from "../../../src/site/preview.ts";

const NOW = 1_800_000_000_000;
const grant = { env: "env_main", scope: "page", id: "pg_about", exp: NOW + 1 } as const;

test("a token gives back its grant until it expires", async () => {
  const token = await mintPreviewToken("secret", grant);
  expect(await checkPreviewToken("secret", token, NOW)).toEqual(grant);
  expect(await checkPreviewToken("secret", token, NOW + 1)).toBeNull();
});

test("a token is the payload and its HMAC-SHA-256, both base64url", async () => {
  const [payload = "", mac] = (await mintPreviewToken("secret", grant)).split(".");
  expect(JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")))).toEqual({ v: 1, ...grant });
  expect(mac).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("no other spelling of a token is accepted, whichever letter is changed", async () => {
  const token = await mintPreviewToken("secret", grant);
  const altered = [...token].map((letter, at) => {
    const other = letter === "A" ? "B" : letter === "B" ? "C" : String.fromCharCode(letter.charCodeAt(0) ^ 1);
    return token.slice(0, at) + other + token.slice(at + 1);
  });
  const others = [
    ...altered,
    `${token}=`,
    `${token}.`,
    `${token}.${token}`,
    token.slice(0, -1),
    "",
    ".",
    "a.b",
  ];
  const accepted = await Promise.all(others.map((one) => checkPreviewToken("secret", one, NOW)));
  expect(accepted.filter((one) => one !== null)).toEqual([]);
});

test("a token of another secret, one good for more than a day, and one that names nothing are refused", async () => {
  const check = async (secret: string, more: object) =>
    checkPreviewToken("secret", await mintPreviewToken(secret, { ...grant, ...more }), NOW);
  expect(await check("other", {})).toBeNull();
  expect(await check("secret", { exp: NOW + PREVIEW_MAX_MS + 1 })).toBeNull();
  expect(await check("secret", { exp: NOW + PREVIEW_MAX_MS })).not.toBeNull();
  expect(await check("secret", { id: undefined })).toBeNull();
  expect(await check("secret", { scope: "site" })).toBeNull();
  expect(await check("secret", { scope: "site", id: undefined })).not.toBeNull();
});
