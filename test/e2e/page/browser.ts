import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
  type Locator,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { TestServer } from "../clients/server.ts";

/** A browser: the headless shell draws the page and no window around it, in less than half the time; it takes no pushes. */
export type Which = "shell" | "whole";

/** Debian's names of each, the best first. */
const PROGRAMS = {
  shell: ["chromium-headless-shell", "chromium", "chromium-browser"],
  whole: ["chromium", "chromium-browser"],
};

/** How it is started: as Debian installs it, or the one that CHROMIUM names. */
export function launchOptions(which: Which = "shell"): LaunchOptions {
  const executablePath =
    process.env["CHROMIUM"] ??
    PROGRAMS[which].map((name) => path.join("/usr/bin", name)).find((file) => existsSync(file));
  if (executablePath === undefined)
    throw new Error("These tests need Chromium: apt-get install chromium, or name one in CHROMIUM.");
  return { executablePath, args: ["--no-sandbox"] };
}

/** A window of a person: what a phone or a desk has. */
export const DESK = { viewport: { width: 1280, height: 800 } } as const;
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

export interface Visitors {
  /** This test makes pages write so to their console. */
  provokes(complaint: RegExp): void;
  /** A browser of one person: its tabs share cookies and storage, those of another do not. */
  person(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens `url`, or what is open anew, and waits until the page is drawn. */
  visit(page: Page, url?: string): Promise<void>;
  /** A tab at the page, at a route such as `#/s/demo/trace`, once what it shows is there. */
  tab(route?: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Console messages allowed on any page: responses and lost connections that tests provoke. */
const EXPECTED = [/Failed to load resource/, /WebSocket connection to/, /ERR_INTERNET_DISCONNECTED/];

/** Browsers of this process. Its files share them: windows of one test share nothing with those of another. */
const running = new Map<Which, Promise<Browser>>();

/** The browser of this process; another one after a crash. It ends with the process. */
async function browserOf(which: Which): Promise<Browser> {
  const before = await running.get(which);
  if (before?.isConnected() === true) return before;
  const launched = chromium.launch(launchOptions(which));
  running.set(which, launched);
  return launched;
}

/** The browser of a test file. After each test its windows are closed, and a fault that a page threw fails the test. */
export function useBrowser(server: Pick<TestServer, "url">, which: Which = "shell"): Visitors {
  let browser: Browser | null = null;
  const open: BrowserContext[] = [];
  const thrown: string[] = [];
  const complaints: string[] = [];
  const provoked: RegExp[] = [];

  beforeAll(async () => {
    browser = await browserOf(which);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((context) => context.close()));
    const expected = [...EXPECTED, ...provoked.splice(0)];
    const others = complaints.splice(0).filter((said) => !expected.some((each) => each.test(said)));
    expect([...thrown.splice(0), ...others]).toEqual([]);
  });
  afterAll(() => {
    browser = null;
  });

  const visitors: Visitors = {
    provokes: (complaint) => void provoked.push(complaint),
    async person(options = DESK) {
      if (browser === null) throw new Error("only inside of a test");
      const context = await browser.newContext({ baseURL: server.url, ...options });
      context.setDefaultTimeout(40_000);
      context.on("page", (page) => {
        // A person reads a long card before they press its button.
        void page.addLocatorHandler(unread(page), () => readThrough(page), { noWaitAfter: true });
        page.on("pageerror", (error) => thrown.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") complaints.push(message.text());
        });
      });
      open.push(context);
      return context;
    },
    async visit(page, url) {
      await (url === undefined ? page.reload() : page.goto(url));
      await page.locator("#page > *").first().waitFor({ state: "attached" });
    },
    async tab(route = "", options = DESK) {
      const page = await (await visitors.person(options)).newPage();
      await visitors.visit(page, `/${route}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      return page;
    },
  };
  return visitors;
}

const AXE = readFileSync(path.join(import.meta.dirname, "../../../node_modules/axe-core/axe.min.js"), "utf8");

/** Axe violations on the current page, each as `rule: element`. Expect none. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  // All rules run. Axe words the elements of the other results only where they are wanted.
  const found: { id: string; nodes: { html: string; failureSummary?: string }[] }[] = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Types into the box and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

/** Waits until a card has been on the screen for so long that a key or a click decides it, and has been read. */
export async function ready(page: Page, card = "article.approval"): Promise<void> {
  await page.locator(card).first().scrollIntoViewIfNeeded();
  await page.locator(`${card}[data-ready="true"]`).first().waitFor();
  if ((await page.locator(`${card} .approval-unread`).count()) === 0) return;
  await readThrough(page, card);
  await page.locator(`${card}[data-ready="true"]`).first().waitFor();
}

/** The line of a card that has to be scrolled through. Pages of these tests do so by themselves before they act. */
export const unread = (page: Page): Locator => page.locator(".approval-unread").first();

/** Scrolls through the first card that has not been read, a part of a window at a time. */
export async function readThrough(page: Page, card = "article.approval"): Promise<void> {
  await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const card = document.querySelector(${JSON.stringify(`${card}:has(.approval-unread)`)});
    if (card === null) return;
    let box = card.parentElement;
    while (box !== null && !(/auto|scroll/.test(getComputedStyle(box).overflowY) && box.scrollHeight > box.clientHeight))
      box = box.parentElement;
    box ??= document.scrollingElement;
    card.scrollIntoView({ block: "start", behavior: "instant" });
    await frame();
    for (let end = -1; box.scrollTop !== end && card.querySelector(".approval-unread") !== null; ) {
      end = box.scrollTop;
      box.scrollBy({ top: box.clientHeight / 2, behavior: "instant" });
      await frame();
    }
  })()`);
}

/** Lets single letters act from anywhere, as the switch in the dialog of the keys does. */
export const singleKeys = (page: Page): Promise<void> =>
  page.evaluate(`localStorage.setItem("cairn:single-keys", "on")`);

/** The id of the session that the tab shows. */
export const sessionOf = (page: Page): string => /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? "";
