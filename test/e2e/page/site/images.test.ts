import { crc32, deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { useServer } from "../../clients/server.ts";
import { PHONE, sessionOf, useBrowser, violations } from "../browser.ts";

const server = useServer();
const visitors = useBrowser(server);

const file = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.from(bytes),
});
const list = (page: Page) => page.getByRole("list", { name: "Files of this message" });
const uploaded = async (page: Page, count: number): Promise<void> => {
  await expect.poll(() => list(page).getByRole("listitem").count()).toBe(count);
  await expect.poll(() => list(page).getByRole("progressbar").count()).toBe(0);
};
const send = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
};

/** The ID of the image that working memory has in focus. */
async function imageInFocus(page: Page): Promise<unknown> {
  const answer = await page.request.get(`/api/sessions/${sessionOf(page)}/memory`);
  const { entities } = (await answer.json()) as {
    entities: readonly { readonly type: string; readonly id: string; readonly focus: boolean }[];
  };
  return entities.find(({ type, focus }) => type === "image" && focus)?.id;
}

/** A picture of one colour, another one for each seed, as a browser can show it. */
function png({
  seed,
  width = 24,
  height = 16,
}: {
  seed: number;
  width?: number;
  height?: number;
}): Uint8Array {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.of(40 * seed, 120, 90))]);
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", Buffer.concat([size, Buffer.of(8, 2, 0, 0, 0)])),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Files as a browser hands them over: a paste, or a drop. */
async function hand(page: Page, how: "paste" | "drop", name: string, bytes: Uint8Array): Promise<void> {
  const handed = `((how, name, bytes) => {
    const files = new DataTransfer();
    files.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
    const box = document.querySelector("#composer");
    if (how === "paste") box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true }));
    else for (const type of ["dragenter", "dragover", "drop"])
      document.querySelector(".messages").dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
  })(${JSON.stringify(how)}, ${JSON.stringify(name)}, ${JSON.stringify([...bytes])})`;
  await page.evaluate(handed);
}

test("a photo is dropped, shown, sent, and used as the hero of a page", async () => {
  const page = await visitors.tab();
  await hand(page, "drop", "two huts.png", png({ seed: 1, width: 1200, height: 600 }));
  await uploaded(page, 1);
  expect(await violations(page)).toEqual([]);
  await send(page, "/say A photo.");
  const answer = page.getByRole("article", { name: "Cairn" });
  await answer.getByText("A photo.", { exact: true }).waitFor();
  const said = page.getByRole("article", { name: "You" }).getByRole("img", { name: "two huts.png" });
  await said.waitFor();
  await expect.poll(() => list(page).count()).toBe(0);
  // After a reload it is still in the conversation, and in focus in working memory for the next run.
  await page.reload();
  await said.waitFor();
  const image = await imageInFocus(page);
  const attach = { image, target: { type: "section", ref: "sc_about_hero" }, field: "image" };
  await send(
    page,
    [
      `/call image_attach ${JSON.stringify(attach)}`,
      `/call image_update ${JSON.stringify({ image, alt: "Two huts above the lake" })}`,
      "/then",
      "/say It is the hero.",
    ].join("\n"),
  );
  await answer.getByText("It is the hero.", { exact: true }).waitFor();
  const draft = await page
    .getByRole("navigation", { name: "Beside the chat" })
    .getByText("Site")
    .click()
    .then(() => page.frameLocator('iframe[data-shown="true"]'));
  const path = page.getByRole("textbox", { name: "Path on the site" });
  await path.fill("/site/about");
  await path.press("Enter");
  await draft.getByRole("img", { name: "Two huts above the lake" }).first().waitFor();
});

test("several are chosen and pasted; one is taken off again, and what is no image says why", async () => {
  const page = await visitors.tab("", PHONE);
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Attach images or files" }).click(),
  ]);
  await chooser.setFiles([file("a.png", png({ seed: 2 })), file("b.png", png({ seed: 3 }))]);
  await hand(page, "paste", "page.png", new TextEncoder().encode("<!doctype html><script>alert(1)</script>"));
  await uploaded(page, 3);
  const bad = list(page).getByRole("listitem").filter({ hasText: "page.png" });
  await bad.getByRole("alert").waitFor();
  expect(await violations(page)).toEqual([]);
  // The message is not sent until the person knows about the failed file.
  await send(page, "Hello");
  await page.getByText("A file is still uploading").waitFor();
  await bad.getByRole("button", { name: "Remove page.png" }).click();
  await list(page).getByRole("button", { name: "Remove a.png" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("article", { name: "You" }).getByRole("img", { name: "b.png" }).waitFor();
  await expect.poll(() => page.getByRole("article", { name: "You" }).getByRole("img").count()).toBe(1);
});

test("a message takes five, also without a word", async () => {
  const page = await visitors.tab();
  const many = Array.from({ length: 6 }, (_, n) => file(`n${n}.png`, png({ seed: 10 + n })));
  await page.locator('.composer input[type="file"]').setInputFiles(many);
  await page.getByText("A message takes 5 files").waitFor();
  await uploaded(page, 5);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("I did not understand", { exact: false }).waitFor();
  await expect.poll(() => page.getByRole("article", { name: "You" }).getByRole("img").count()).toBe(5);
});
