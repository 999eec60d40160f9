import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseChannelsOptions } from "../../../src/cli/channels/channels-options.ts";
import { pushKeyLines } from "../../../src/cli/channels/channels.ts";
import { localPushKeys } from "../../../src/cli/start/push-keys.ts";
import { parseVapid } from "../../../src/plugins/channels/webpush/vapid.ts";

const asTable = (lines: readonly string[], sign: string): Record<string, string> =>
  Object.fromEntries(
    lines.flatMap((line): (readonly [string, string])[] => {
      const at = line.indexOf(sign);
      return line.startsWith("VAPID_") && at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );

/** Signs with the one half and verifies with the other. */
async function isPair(publicKey: string, privateKey: string): Promise<boolean> {
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const jwk = { kty: "EC", crv: "P-256", x, y };
  const own = await crypto.subtle.importKey("jwk", { ...jwk, d: privateKey }, curve, false, ["sign"]);
  const open = await crypto.subtle.importKey("raw", point, curve, false, ["verify"]);
  const how = { name: "ECDSA", hash: "SHA-256" };
  const said = Buffer.from("said");
  return crypto.subtle.verify(how, open, await crypto.subtle.sign(how, own, said), said);
}

describe("npm run channels -- webpush", () => {
  test("makes a pair that works, another one each time, and shows each half once", async () => {
    const lines = pushKeyLines();
    const made = asTable(lines, "=");
    const vapid = parseVapid({ ...made, VAPID_SUBJECT: "mailto:you@example.com" });
    expect(vapid).not.toBeNull();
    expect(await isPair(vapid?.publicKey ?? "", vapid?.privateKey ?? "")).toBe(true);
    for (const half of [vapid?.publicKey ?? "", vapid?.privateKey ?? ""])
      expect(lines.filter((line) => line.includes(half))).toHaveLength(1);
    expect(asTable(pushKeyLines(), "=")["VAPID_PRIVATE_KEY"]).not.toBe(vapid?.privateKey);
  });

  test("is asked for by its name alone", () => {
    expect(parseChannelsOptions(["webpush"], {})).toEqual({
      kind: "options",
      options: { channel: "webpush" },
    });
    for (const wrong of [["webpush", "--check"], ["webpush", "x"], ["push"]])
      expect(parseChannelsOptions(wrong, {}).kind).toBe("usage");
  });
});

describe("the pair of this machine", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), "cairn-push-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test("is made once, and stays: browsers have subscribed to it", () => {
    const state = path.join(directory, "new/state");
    const first = localPushKeys(state, [], null);
    expect(parseVapid(asTable(first, ":"))).not.toBeNull();
    expect(localPushKeys(state, ["MODEL:rehearsal:"], "MODEL=x\n")).toEqual(first);
    expect(statSync(path.join(state, "push-keys.json")).mode & 0o077).toBe(0);
  });

  test("gives way to what the operator sets", () => {
    expect(localPushKeys(directory, ["VAPID_SUBJECT:mailto:me@example.com"], null)).toEqual([]);
    expect(localPushKeys(directory, [], "MODEL=x\nVAPID_PUBLIC_KEY = y\n")).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([["{"], ["null"], ["{}"], ['{"publicKey":"a","privateKey":"b"}']])(
    "that cannot be read (%s) is made anew",
    (text) => {
      const file = path.join(directory, "push-keys.json");
      writeFileSync(file, text);
      expect(parseVapid(asTable(localPushKeys(directory, [], null), ":"))).not.toBeNull();
      expect(readFileSync(file, "utf8")).not.toBe(text);
    },
  );
});

test.each([
  [{ VAPID_PUBLIC_KEY: "abc" }, ["VAPID_PUBLIC_KEY"]],
  [{ VAPID_PRIVATE_KEY: "x".repeat(44) }, ["VAPID_PRIVATE_KEY"]],
  [{ VAPID_SUBJECT: "you@example.com" }, ["VAPID_SUBJECT"]],
  [{ VAPID_SUBJECT: "http://example.com" }, ["VAPID_SUBJECT"]],
  [{ VAPID_PUBLIC_KEY: 7, VAPID_SUBJECT: "" }, []],
])("%j is said to be wrong, by name and without the value", (env, wrong) => {
  const said: string[][] = [];
  expect(parseVapid(env, (name, message) => void said.push([name, message]))).toBeNull();
  expect(said.map(([name]) => name)).toEqual(wrong);
  const values = Object.values(env).filter((value) => typeof value === "string" && value !== "");
  expect(said.filter(([, message]) => values.some((value) => message?.includes(String(value))))).toEqual([]);
});
