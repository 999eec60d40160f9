import { expect, test } from "vitest";
import {
  checkPreviewToken,
  mintPreviewToken,
  PREVIEW_MAX_MS,
} from "../../../src/plugins/cms/renderer/preview.ts";

const NOW = 1_800_000_000_000;
const grant = { env: "env_main", scope: "page", id: "pg_about", exp: NOW + 1 } as const;

test("a token gives back its grant until it expires", () => {
  const token = mintPreviewToken("secret", grant);
  expect(checkPreviewToken("secret", token, NOW)).toEqual(grant);
  expect(checkPreviewToken("secret", token, NOW + 1)).toBeNull();
});

test("a token is the payload and its HMAC-SHA-256, both base64url", () => {
  const [payload = "", mac] = mintPreviewToken("secret", grant).split(".");
  expect(JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")))).toEqual({ v: 1, ...grant });
  expect(mac).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("no other spelling of a token is accepted, whichever letter is changed", () => {
  const token = mintPreviewToken("secret", grant);
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
  const accepted = others.map((one) => checkPreviewToken("secret", one, NOW));
  expect(accepted.filter((one) => one !== null)).toEqual([]);
});

test("a token of another secret, one good for more than a day, and one that names nothing are refused", () => {
  const check = (secret: string, more: object) =>
    checkPreviewToken("secret", mintPreviewToken(secret, { ...grant, ...more }), NOW);
  expect(check("other", {})).toBeNull();
  expect(check("secret", { exp: NOW + PREVIEW_MAX_MS + 1 })).toBeNull();
  expect(check("secret", { exp: NOW + PREVIEW_MAX_MS })).not.toBeNull();
  expect(check("secret", { id: undefined })).toBeNull();
  expect(check("secret", { scope: "site" })).toBeNull();
  expect(check("secret", { scope: "site", id: undefined })).not.toBeNull();
});
