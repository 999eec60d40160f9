import { expect, test } from "vitest";
import { pdf } from "../../../cairn/documents/made-files.ts";
import { useServer } from "../../clients/server.ts";
import { useBrowser, violations } from "../browser.ts";

const server = useServer();
const visitors = useBrowser(server);

const LEASE = pdf(["The flat is let from 1 May.", "Notice period: three months, in writing."]);

test("a PDF is attached and asked about; what it says is cited, and its mark opens the words", async () => {
  const page = await visitors.tab();
  const list = page.getByRole("list", { name: "Files of this message" });
  await page.locator('.composer input[type="file"]').setInputFiles([
    { name: "lease.pdf", mimeType: "application/pdf", buffer: Buffer.from(LEASE) },
    { name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") },
  ]);
  await expect.poll(() => list.getByRole("progressbar").count()).toBe(0);
  const bad = list.getByRole("listitem").filter({ hasText: "broken.pdf" });
  await bad.getByRole("alert").waitFor();
  expect(await bad.textContent()).toContain("The PDF is damaged");
  expect(await violations(page)).toEqual([]);
  await bad.getByRole("button", { name: "Remove broken.pdf" }).click();
  await page
    .getByRole("textbox", { name: "Message" })
    .fill("What does the file I just sent say about the notice period?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("article", { name: "You" }).getByText("lease.pdf").waitFor();
  const answer = page.getByRole("article", { name: "Cairn" });
  await answer.getByText("Notice period: three months, in writing.").waitFor();
  await answer.getByRole("button", { name: "Source 1: lease.pdf" }).click();
  const quote = page.getByRole("dialog", { name: "lease.pdf" });
  await quote.getByText("Notice period: three months, in writing.").waitFor();
  expect(await violations(page)).toEqual([]);
});
