import { createHash } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { useBrowser } from "./browser.ts";
import { useServer } from "../clients/server.ts";

/** The way of a browser from the consent page back to the assistant, whose addresses are of every allowed kind. */

const TOKEN = "ada-token-of-the-tests";
const AUTH = JSON.stringify({ [TOKEN]: { subject: "ada", scopes: ["read", "send"] } });
const server = useServer(() => [`AUTH_TOKENS:${AUTH}`, "ALLOW_ANONYMOUS:false"]);
const visitors = useBrowser(server);

/** A server on a port of this computer, until the test is over; its port. */
async function listen(host: string, answer: RequestListener): Promise<number> {
  const listening = createServer(answer);
  await new Promise<void>((resolve) => listening.listen(0, host, resolve));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return (listening.address() as AddressInfo).port;
}

/** The address of the consent page, for an assistant that registered `registered` and asks with `asked`. */
async function requestOf(registered: string, asked = registered): Promise<string> {
  const answer = await fetch(`${server.url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "An assistant",
      redirect_uris: [registered],
      token_endpoint_auth_method: "none",
    }),
  });
  expect(answer.status).toBe(201);
  const { client_id } = (await answer.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id,
    redirect_uri: asked,
    response_type: "code",
    state: "s-1",
    scope: "read",
    code_challenge: createHash("sha256").update("v".repeat(50)).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${server.url}/mcp`,
  });
  return `/oauth/authorize?${query.toString()}`;
}

/** A tab at the consent page, signed in. */
async function consentTab(path: string) {
  const page = await (await visitors.person()).newPage();
  await page.goto(path);
  await page.getByLabel("Token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
  return page;
}

test("a callback that redirects onward, to another origin, is reached with its code", async () => {
  const last = await listen("127.0.0.1", (_, response) => response.end("You may close this window."));
  const first = await listen("127.0.0.1", ({ url }, response) => {
    response.writeHead(302, {
      location: `http://localhost:${last}/done${url?.slice(url.indexOf("?")) ?? ""}`,
    });
    response.end();
  });
  const page = await consentTab(await requestOf(`http://127.0.0.1:${first}/cb`));
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.waitForURL((url) => url.port === String(last));
  const { hostname, searchParams } = new URL(page.url());
  expect([hostname, searchParams.get("state"), searchParams.has("code")]).toEqual(["localhost", "s-1", true]);
});

test("a program at [::1], with another port than it registered, is reached; a no is too", async () => {
  const port = await listen("::1", (_, response) => response.end("Connected."));
  const path = await requestOf("http://[::1]:1/cb", `http://[::1]:${port}/cb`);
  const page = await consentTab(path);
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.waitForURL((url) => url.port === String(port));
  expect(new URL(page.url()).searchParams.has("code")).toBe(true);
  await page.goto(path);
  await page.getByRole("button", { name: "Do not allow" }).click();
  await page.waitForURL((url) => url.searchParams.get("error") === "access_denied");
  expect(new URL(page.url()).port).toBe(String(port));
});

test("an application with a scheme is led to by a link that stays", async () => {
  visitors.provokes(/com\.example\.app/);
  const page = await consentTab(await requestOf("com.example.app:/cb"));
  await page.getByText("This is the app on your device").waitFor();
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  const link = page.getByRole("link", { name: "Continue to com.example.app:" });
  expect(await link.getAttribute("href")).toMatch(/^com\.example\.app:\/cb\?code=.+&state=s-1/);
});
