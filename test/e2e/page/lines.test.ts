import type { Page, WebSocketRoute } from "playwright-core";
import { describe, expect, test } from "vitest";
import { PHONE, say, sessionOf, useBrowser } from "./browser.ts";
import { useServer } from "../clients/server.ts";

/** The page on lines that break: reloads, two tabs, offline, a server that is killed. */

const server = useServer();
const visitors = useBrowser(server);

const PIECES = Array.from({ length: 60 }, (_, n) => `piece ${n} of the answer`);
/** Four steps that take their time, with an answer long enough to be cut in its middle. */
const LONG = [
  "/call site_overview {}",
  "/wait 1200",
  "/then",
  "/call page_list {}",
  "/wait 1200",
  "/then",
  `/wait 1200`,
  `/say ${PIECES.join(", ")}.`,
].join("\n");

const answer = (page: Page) => page.getByRole("article", { name: "Cairn" });
const ended = (page: Page): Promise<void> => page.getByRole("button", { name: "Copy the answer" }).waitFor();
const expectWhole = async (page: Page): Promise<void> => {
  await ended(page);
  expect(await answer(page).count()).toBe(1);
  const text = (await answer(page).textContent()) ?? "";
  for (const piece of PIECES) expect(text).toContain(piece);
  expect(text.split("piece 59 of the answer").length - 1).toBe(1);
  expect(await answer(page).getByText("Site overview").count()).toBe(1);
  expect(await answer(page).getByText("List pages").count()).toBe(1);
};

describe("a run", () => {
  test("goes on when the page is closed, and is whole when it is opened again", async () => {
    const person = await visitors.person();
    const first = await person.newPage();
    await visitors.visit(first, "/");
    await first.getByRole("heading", { level: 1 }).waitFor();
    await say(first, LONG);
    await answer(first).getByText("Site overview").waitFor();
    const session = sessionOf(first);
    await first.close();
    const again = await person.newPage();
    await visitors.visit(again, `/#/s/${session}`);
    await expectWhole(again);
  });

  test("is reloaded in its middle, twice, on a phone, and shows each part once", async () => {
    const page = await visitors.tab("", PHONE);
    await say(page, LONG);
    await answer(page).getByText("Site overview").waitFor();
    await visitors.visit(page);
    await answer(page).getByText("List pages").waitFor();
    await visitors.visit(page);
    await expectWhole(page);
  });

  test("is the same in two tabs at once, and each sees what the other says", async () => {
    const person = await visitors.person();
    const first = await person.newPage();
    await visitors.visit(first, "/");
    await first.getByRole("heading", { level: 1 }).waitFor();
    const second = await person.newPage();
    await visitors.visit(second, first.url());
    await second.getByRole("heading", { level: 1 }).waitFor();
    await say(first, LONG);
    await second.getByRole("button", { name: "Stop" }).waitFor();
    await Promise.all([expectWhole(first), expectWhole(second)]);
    await say(second, "/say From the second.");
    await answer(first).getByText("From the second.", { exact: true }).waitFor();
  });

  test("waits for a decision over a reload, and is decided in the other tab", async () => {
    const person = await visitors.person();
    const first = await person.newPage();
    await visitors.visit(first, "/");
    await first.getByRole("heading", { level: 1 }).waitFor();
    await say(
      first,
      '/call set_status {"targets":[{"type":"page","ref":"about"}],"to":"unpublished"}\n/then\n/say Hidden now.',
    );
    await first.getByRole("button", { name: "Approve" }).waitFor();
    await visitors.visit(first);
    await first.getByRole("button", { name: "Approve" }).waitFor();
    const second = await person.newPage();
    await visitors.visit(second, first.url());
    await second.getByRole("button", { name: "Approve" }).click();
    await answer(second).getByText("Hidden now.", { exact: true }).waitFor();
    await answer(first).getByText("Hidden now.", { exact: true }).waitFor();
    expect(await first.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });
});

describe("a line that is lost", () => {
  /** How many calls the page has shown, each time that this changed; read with `counts`. */
  const WATCH = `
    globalThis.counts = [];
    new MutationObserver(() => {
      const shown = document.querySelectorAll("article.answer .call-title").length;
      if (counts.at(-1) !== shown) counts.push(shown);
    }).observe(document.body, { childList: true, subtree: true });
  `;

  test("comes back without a flicker, and nothing is missing or twice", async () => {
    const page = await visitors.tab();
    await say(page, LONG);
    await answer(page).getByText("Site overview").waitFor();
    await page.evaluate(WATCH);
    await page.context().setOffline(true);
    await server.kill();
    await page.getByText("Connection lost.").waitFor();
    expect(await answer(page).getByText("Site overview").isVisible()).toBe(true);
    await server.start();
    await page.context().setOffline(false);
    await expectWhole(page);
    // Drawn lines never disappeared: the count only grows.
    const counts: number[] = await page.evaluate("counts");
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });

  test("keeps what was typed, and says what could not be sent", async () => {
    const page = await visitors.tab();
    const box = page.getByRole("textbox", { name: "Message" });
    await box.fill("half a thought");
    await visitors.visit(page);
    await expect.poll(() => box.inputValue()).toBe("half a thought");
    await box.fill("/wait 3000\n/say One.");
    await box.press("Enter");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.route("**/messages", (route) => route.abort());
    await box.fill("what will not arrive");
    await box.press("Enter");
    await page.getByRole("alert").getByText("Cairn does not answer").waitFor();
    expect(await box.inputValue()).toBe("what will not arrive");
  });

  /** The socket of the page, which the test can close, or let fall silent in both directions. */
  const tapped = async (page: Page) => {
    const sockets: WebSocketRoute[] = [];
    let silent = false;
    await page.routeWebSocket(/\/agents\/session\//, (socket) => {
      sockets.push(socket);
      const mine = sockets.length;
      const upstream = socket.connectToServer();
      // Only the first falls silent: the line that follows it is another.
      const passes = (): boolean => !silent || mine > 1;
      socket.onMessage((message) => void (passes() && upstream.send(message)));
      upstream.onMessage((message) => void (passes() && socket.send(message)));
    });
    return {
      opened: () => sockets.length,
      close: (code: number, reason: string) => sockets[0]?.close({ code, reason }),
      fallSilent: () => void (silent = true),
    };
  };

  test("is another when the server calls the socket too old, and what was said stays", async () => {
    const page = await visitors.tab();
    const line = await tapped(page);
    await visitors.visit(page);
    await say(page, "/say Said on the old one.");
    await ended(page);
    await line.close(4408, "socket_too_old");
    await expect.poll(line.opened).toBe(2);
    await say(page, "/say Said on the new one.");
    for (const text of ["Said on the old one.", "Said on the new one."])
      await answer(page).getByText(text, { exact: true }).waitFor();
  });

  test("is left when it is dead without a word, and what was said on it arrives once", async () => {
    const page = await visitors.tab();
    const line = await tapped(page);
    await visitors.visit(page);
    await say(page, "/say Before.");
    await ended(page);
    // While a run is live, a message goes out over HTTP.
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    line.fallSilent();
    await say(page, "/say Into the dark.");
    await expect.poll(line.opened, { timeout: 30_000 }).toBe(2);
    await page.getByRole("alert").getByText("The connection broke before it was sent.").waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await answer(page).getByText("Into the dark.", { exact: true }).waitFor();
    expect(await page.getByRole("article", { name: "You" }).getByText("Into the dark.").count()).toBe(1);
  });

  test("is noticed to be dead within ten seconds, though nobody says anything", async () => {
    const page = await visitors.tab();
    const line = await tapped(page);
    await visitors.visit(page);
    await say(page, "/say Before.");
    await ended(page);
    line.fallSilent();
    const silentAt = Date.now();
    await expect.poll(line.opened, { timeout: 20_000 }).toBe(2);
    console.log(
      `A line that died without a word was left after ${((Date.now() - silentAt) / 1_000).toFixed(1)} s`,
    );
    await say(page, "/say On the new line.");
    await answer(page).getByText("On the new line.", { exact: true }).waitFor();
  });

  test("that keeps a message to itself has it shown as being sent", async () => {
    const page = await visitors.tab();
    const line = await tapped(page);
    await visitors.visit(page);
    await say(page, "/say Before.");
    await ended(page);
    // While a run is live, a message goes out over HTTP.
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    line.fallSilent();
    await say(page, "/say Into the dark.");
    await page.getByRole("article", { name: "You" }).last().getByText("Sending…").waitFor();
    await page.getByRole("alert").getByText("The connection broke before it was sent.").waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await answer(page).getByText("Into the dark.", { exact: true }).waitFor();
    expect(await page.getByText("Sending…").count()).toBe(0);
  });
});
