import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { DESK, PHONE, say, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

const TOKENS = {
  "token-of-alice-00000000000000000001": {
    subject: "alice",
    scopes: ["read", "send", "approve", "admin"],
  },
  "token-of-a-reader-0000000000000001": { subject: "ruth", scopes: ["read"] },
};
const [ALICE, READER] = Object.keys(TOKENS) as [string, string];

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Your token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

describe("where tokens are configured", () => {
  const server = useServer(() => ["ALLOW_ANONYMOUS:false", `AUTH_TOKENS:${JSON.stringify(TOKENS)}`]);
  const visitors = useBrowser(server);

  test("one signs in with a token, stays signed in over a reload, and signs out", async () => {
    const page = await visitors.tab();
    await signIn(page, "a token that nobody has");
    await page.getByRole("alert").waitFor();
    await signIn(page, ALICE);
    await page.getByRole("heading", { name: "What should I work on?" }).waitFor();
    await visitors.visit(page);
    await page.getByRole("heading", { name: "What should I work on?" }).waitFor();
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Your token").waitFor();
  });

  test("who may only read sees a session and no box, no buttons", async () => {
    const writer = await visitors.tab();
    await signIn(writer, ALICE);
    await say(writer, "/say Written by Alice.");
    await writer.getByRole("button", { name: "Copy the answer" }).waitFor();
    const reader = await visitors.tab();
    await signIn(reader, READER);
    await reader.getByRole("heading", { name: "Choose a session" }).waitFor();
    expect(await reader.getByRole("alert").count()).toBe(0);
    expect(await reader.getByRole("textbox", { name: "Message" }).count()).toBe(0);
    // Alice's session reads as missing to Ruth.
    await visitors.visit(reader, writer.url());
    await reader.getByRole("alert").getByText("someone else").waitFor();
    expect(await reader.getByText("Written by Alice.").count()).toBe(0);
  });

  test("whose sign-in ends under an open page signs in again, and is where they were", async () => {
    const page = await visitors.tab();
    await signIn(page, ALICE);
    await say(page, "/say Said before.");
    await page.getByRole("button", { name: "Copy the answer" }).waitFor();
    const at = page.url();
    await page.context().clearCookies();
    await page.getByRole("link", { name: "Settings" }).click();
    await signIn(page, ALICE);
    await page.getByRole("article", { name: "Cairn" }).getByText("Said before.").waitFor();
    await page.getByLabel("Title", { exact: true }).waitFor();
    expect(page.url()).toBe(`${at}/settings`);
  });

  test.each([
    ["light", { ...DESK, colorScheme: "light" }],
    ["dark, on a phone", { ...PHONE, colorScheme: "dark" }],
  ] as const)("axe finds nothing in the sign-in, %s", async (_, options) => {
    expect(await violations(await visitors.tab("", options))).toEqual([]);
  });
});

describe("where nothing is configured", () => {
  const server = useServer(() => ["ALLOW_ANONYMOUS:false", "MODEL:nonsense"]);
  const visitors = useBrowser(server);

  test("the page says what to set", async () => {
    const page = await visitors.tab();
    await page.getByRole("heading", { name: "Not configured correctly" }).waitFor();
    expect(await page.getByRole("listitem").allTextContents()).toEqual([expect.stringContaining("MODEL")]);
    expect(await violations(page)).toEqual([]);
  });
});
