import { expect, test } from "vitest";
import { useServer } from "../clients/server.ts";
import { ready, say, sessionOf, useBrowser, violations } from "./browser.ts";

/** Keyboard control, without a mouse. */

const server = useServer();
const visitors = useBrowser(server);

test("single letters do nothing from anywhere until they are switched on, and then they do", async () => {
  const page = await visitors.tab();
  const before = sessionOf(page);
  await say(page, "/say Hello there.");
  await page.getByRole("article", { name: "Cairn" }).getByText("Hello there.").waitFor();
  await page.getByRole("textbox", { name: "Message" }).blur();
  for (const key of ["n", "a", "w", "/", "?"]) await page.keyboard.press(key);
  expect(sessionOf(page)).toBe(before);
  expect(await page.evaluate("document.activeElement.matches('input, textarea, dialog *')")).toBe(false);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("keys");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.getByRole("checkbox", { name: "Single-key shortcuts everywhere" }).check();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await expect.poll(() => sessionOf(page)).not.toBe(before);
  await visitors.visit(page);
  await page.getByRole("textbox", { name: "Message" }).blur();
  await page.keyboard.press("?");
  await dialog.waitFor();
});

test("the palette goes to sessions, panels and pages, by keys alone", async () => {
  const page = await visitors.tab("#/s/ses_lark");
  await say(page, "/say The lark sings at dawn.");
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  await visitors.visit(page, "/#/s/ses_other");
  const palette = page.getByRole("dialog", { name: "Go to" });
  const box = page.getByRole("combobox", { name: "Go to" });
  await page.keyboard.press("Control+k");
  await box.fill("lark sings");
  await palette.getByRole("option", { name: /lark sings/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await expect.poll(() => sessionOf(page)).toBe("ses_lark");
  await palette.waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await box.fill("mem");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary", { name: "memory" }).waitFor();
  await page.keyboard.press("Control+k");
  await box.fill("nothing is called so");
  await palette.getByText("No matches.").waitFor();
  // The first one empties the box.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  await page.keyboard.press("Meta+k");
  await palette.getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowDown");
  expect(await palette.getByRole("option", { selected: true }).count()).toBe(1);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect.poll(() => sessionOf(page)).not.toBe("ses_lark");
});

test("the first wish goes its whole way by keys alone", async () => {
  const page = await visitors.tab();
  const wish =
    "Create a Prices page with a hero image and a feature section, publish it and add it to the navigation";
  await page.keyboard.type(wish);
  await page.keyboard.press("Enter");
  const cards = page.getByRole("article", { name: "Cairn" });
  for (const what of [/Publish the page/, /navigation/]) {
    await cards.getByRole("heading", { name: what }).last().waitFor();
    // From the box back into the conversation, and there to the card.
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("write");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const title = "document.activeElement.closest('.approval')?.querySelector('h3, h2')?.textContent ?? ''";
    await expect.poll(() => page.evaluate(title)).toMatch(what);
    await ready(page, ".approval:focus-within");
    await page.keyboard.press("y");
  }
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  expect((await page.request.get("/site/prices")).status()).toBe(200);
  await page
    .getByRole("group", { name: "What was done" })
    .getByRole("button", { name: /^Show/ })
    .first()
    .press("Enter");
  await page.getByRole("complementary", { name: "site" }).waitFor();
});
