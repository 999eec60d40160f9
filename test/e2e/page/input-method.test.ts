import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { useServer } from "../clients/server.ts";
import { ready, say, sessionOf, useBrowser } from "./browser.ts";

/** The keys of an input method, in the order in which each browser sends them. Only the Enter after the word decides. */

const server = useServer();
const visitors = useBrowser(server);

/** [type of the event, its fields], as a key that ends a word makes them. */
type Order = readonly (readonly [type: string, fields: Readonly<Record<string, unknown>>])[];
const ended = (key: string, code: number): Readonly<Record<string, Order>> => ({
  Safari: [
    ["compositionend", {}],
    ["keydown", { key, keyCode: 229, isComposing: false }],
    ["keyup", { key, keyCode: code, isComposing: false }],
  ],
  Chrome: [
    ["keydown", { key, keyCode: 229, isComposing: true }],
    ["compositionend", {}],
    ["keyup", { key, keyCode: code, isComposing: false }],
  ],
  Firefox: [
    ["keydown", { key: "Process", keyCode: 229, isComposing: true }],
    ["compositionend", {}],
    ["keyup", { key, keyCode: code, isComposing: false }],
  ],
});
const BROWSERS = ["Safari", "Chrome", "Firefox"] as const;

/** Ends a word in a box by a key, with Ctrl held or not. */
async function endWord(
  box: Locator,
  browser: string,
  key = "Enter",
  code = 13,
  ctrlKey = false,
): Promise<void> {
  const order = ended(key, code)[browser] ?? [];
  expect(order).toHaveLength(3);
  await box.focus();
  await box.page().evaluate(`(() => {
    const own = document.activeElement;
    own.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    for (const [type, fields] of ${JSON.stringify(order)}) {
      const Event = type.startsWith("key") ? KeyboardEvent : CompositionEvent;
      own.dispatchEvent(new Event(type, { bubbles: true, cancelable: true, ctrlKey: ${String(ctrlKey)}, ...fields }));
    }
  })()`);
}

const messageBox = (page: Page): Locator => page.getByRole("textbox", { name: "Message" });
async function textsOf(session: string): Promise<string[]> {
  const response = await fetch(`${server.url}/api/sessions/${session}/messages`);
  const messages = (await response.json()) as {
    role: string;
    parts: { type: string; text?: string }[];
  }[];
  return messages
    .filter(({ role }) => role === "user")
    .map(({ parts }) => parts.map(({ text }) => text ?? "").join(""));
}

test("a message is sent whole, by the Enter after its last word", async () => {
  for (const browser of BROWSERS) {
    const page = await visitors.tab();
    const box = messageBox(page);
    await box.fill("/say 概要の");
    await endWord(box, browser);
    await endWord(box, browser, "Enter", 13, true);
    expect(await box.inputValue()).toBe("/say 概要の");
    await box.fill("/say 概要のページ");
    await box.press("Enter");
    await page.getByRole("article", { name: "Cairn" }).getByText("概要のページ").waitFor();
    expect(await textsOf(sessionOf(page))).toEqual(["/say 概要のページ"]);
  }
});

/** On a touch keyboard each letter of a word has the code 229 and no name; only `input` events carry the text. */
async function typeOnAndroid(box: Locator, text: string): Promise<void> {
  await box.focus();
  for (const letter of text) {
    await box.page().evaluate(`(() => {
      const own = document.activeElement;
      const key = { key: "Unidentified", keyCode: 229, isComposing: false, bubbles: true, cancelable: true };
      const isAllowed = own.dispatchEvent(new KeyboardEvent("keydown", key));
      if (isAllowed) document.execCommand("insertText", false, ${JSON.stringify(letter)});
      own.dispatchEvent(new KeyboardEvent("keyup", key));
    })()`);
  }
}

test("words of a touch keyboard are written, and its Enter sends them", async () => {
  const page = await visitors.tab();
  const box = messageBox(page);
  await typeOnAndroid(box, "/say Grüße aus नेपाल");
  expect(await box.inputValue()).toBe("/say Grüße aus नेपाल");
  await box.press("Enter");
  await page.getByRole("article", { name: "Cairn" }).getByText("Grüße aus नेपाल").waitFor();
  expect(await textsOf(sessionOf(page))).toEqual(["/say Grüße aus नेपाल"]);
});

test("of two Enters right after one another the first ends the word and the second sends", async () => {
  for (const browser of BROWSERS) {
    const page = await visitors.tab();
    const box = messageBox(page);
    await box.fill("/say 한국어");
    await endWord(box, browser);
    await box.press("Enter");
    await page.getByRole("article", { name: "Cairn" }).getByText("한국어").waitFor();
    expect(await textsOf(sessionOf(page))).toEqual(["/say 한국어"]);
  }
});

test("a word that Chromium composes by itself is not sent either", async () => {
  const page = await visitors.tab();
  const box = messageBox(page);
  await box.fill("/say ");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Input.imeSetComposition", { text: "がいよう", selectionStart: 4, selectionEnd: 4 });
  await devtools.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key: "Enter",
    windowsVirtualKeyCode: 229,
  });
  await devtools.send("Input.insertText", { text: "概要" });
  expect(await box.inputValue()).toBe("/say 概要");
  await box.press("Enter");
  await page.getByRole("article", { name: "Cairn" }).getByText("概要").waitFor();
  expect(await textsOf(sessionOf(page))).toEqual(["/say 概要"]);
});

test("the reason of a denial is sent whole, and the Escape of a word leaves its box open", async () => {
  const page = await visitors.tab();
  const unpublish = JSON.stringify({ targets: [{ type: "page", ref: "about" }], to: "unpublished" });
  await say(page, `/call set_status ${unpublish}\n/then\n/say 終わり`);
  const card = page.locator("article.approval");
  await card.waitFor();
  await card.focus();
  await ready(page);
  await page.keyboard.press("n");
  const reason = card.getByRole("textbox", { name: /Reason \(optional\)/ });
  await reason.fill("訪問者に");
  await ready(page);
  for (const browser of BROWSERS) {
    await endWord(reason, browser);
    await endWord(reason, browser, "Escape", 27);
  }
  expect(await reason.inputValue()).toBe("訪問者に");
  await reason.fill("訪問者に必要");
  await ready(page);
  await reason.press("Enter");
  const line = card.getByText("Denied by anonymous. It was not done.");
  await line.click();
  await card.getByText("訪問者に必要", { exact: true }).waitFor();
});

test("a title is saved whole, and no key of a word leaves its box", async () => {
  const page = await visitors.tab("#/s/ses_titled");
  await say(page, "/say Name me.");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  const list = page.getByRole("navigation", { name: "Sessions" });
  await list.getByRole("link", { name: "/say Name me." }).hover();
  await list.getByRole("button", { name: "Options for /say Name me." }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  const box = list.getByRole("textbox", { name: "Title of the session" });
  await box.fill("会社");
  for (const browser of BROWSERS) {
    await endWord(box, browser);
    await endWord(box, browser, "Escape", 27);
  }
  await box.fill("会社概要");
  await box.press("Enter");
  await list.getByRole("link", { name: "会社概要" }).waitFor();
  await expect
    .poll(async () => (await fetch(`${server.url}/api/sessions/ses_titled`)).json())
    .toMatchObject({ title: "会社概要", titleSource: "user" });
});

test("the palette and the search of the list move and go only by keys that are no word's", async () => {
  const page = await visitors.tab("#/s/ses_palette");
  await say(page, "/say 概要です");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  await visitors.visit(page, "/#/s/ses_elsewhere");
  const find = page.getByRole("searchbox", { name: "Search sessions" });
  await find.fill("概要");
  for (const browser of BROWSERS) {
    await endWord(find, browser, "Escape", 27);
    await endWord(find, browser, "ArrowDown", 40);
  }
  expect(await find.inputValue()).toBe("概要");
  expect(await page.evaluate("document.activeElement.id")).toBe("find-session");
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Go to" });
  const options = page.getByRole("dialog", { name: "Go to" }).getByRole("option");
  await options.nth(1).waitFor();
  for (const browser of BROWSERS) {
    await endWord(box, browser, "ArrowDown", 40);
    await endWord(box, browser);
  }
  expect(await options.first().getAttribute("aria-selected")).toBe("true");
  expect(sessionOf(page)).toBe("ses_elsewhere");
  await box.fill("概要です");
  await options.getByText("概要です").first().waitFor();
  await box.press("Enter");
  await expect.poll(() => sessionOf(page)).toBe("ses_palette");
});

test("the answer to a question is sent whole", async () => {
  const page = await visitors.tab("#/s/ses_answered");
  const question = JSON.stringify({ question: "What shall it be called?" });
  await say(page, `/call ask_human ${question}\n/then\n/say Named.`);
  await page.getByRole("heading", { name: "What shall it be called?", exact: true }).waitFor();
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill("概");
  for (const browser of BROWSERS) await endWord(box, browser);
  expect(await box.inputValue()).toBe("概");
  await ready(page, "article.question");
  await box.fill("概要");
  await box.press("Enter");
  await page.getByText("概要").first().waitFor();
  await page.getByRole("article", { name: "Cairn" }).getByText("Named.").waitFor();
});
