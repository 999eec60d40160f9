import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ready, say, sessionOf, useBrowser } from "./browser.ts";
import { useServer } from "../clients/server.ts";

/** Output of a model, a tool or a page of the site is text, wherever the page shows it. */

const server = useServer();
const visitors = useBrowser(server);

const PAYLOADS = [
  `<img src=x onerror="globalThis.pwned='img'">`,
  `<script>globalThis.pwned='script'</script>`,
  `<svg onload="globalThis.pwned='svg'"></svg>`,
  `<iframe srcdoc="<script>parent.pwned='iframe'</script>"></iframe>`,
  `"><img src=x onerror=globalThis.pwned='attribute'>`,
  `[click](javascript:globalThis.pwned='link') ![i](javascript:globalThis.pwned='image')`,
  `<a href="javascript:globalThis.pwned='anchor'">go</a>`,
  `\${globalThis.pwned='template'} {{constructor.constructor("pwned='x'")()}}`,
];
const ALL = PAYLOADS.join(" ");

/** Nothing ran, nothing was even tried (which the policy of the page would report), nothing of it became an element. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("globalThis.pwned ?? null")).toBeNull();
  expect(await page.evaluate("globalThis.violations")).toEqual([]);
  const made: string[] = await page.evaluate(`
    [...document.querySelectorAll("#page :is(script, [onerror], [onload], iframe[srcdoc], a[href^='javascript:'], img[src='x'])")]
      .map((element) => element.outerHTML)
  `);
  expect(made).toEqual([]);
}

async function watched(): Promise<Page> {
  const person = await visitors.person();
  await person.addInitScript(`
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective + " " + event.blockedURI));
  `);
  const page = await person.newPage();
  page.on("dialog", (dialog) => {
    throw new Error(`a dialog opened: ${dialog.message()}`);
  });
  await visitors.visit(page, "/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

test("payloads in an answer, a tool's input and output, an approval, a title and the site never run", async () => {
  const page = await watched();
  const section = { template: "feature", content: { heading: ALL.slice(0, 90), description: ALL } };
  const script = [
    `/call page_create ${JSON.stringify({ name: PAYLOADS[0], slug: "hostile", sections: [section] })}`,
    "/then",
    `/call page_get ${JSON.stringify({ page: "hostile" })}`,
    "/then",
    `/call set_status ${JSON.stringify({ targets: [{ type: "page", ref: "hostile" }], to: "published" })}`,
    "/then",
    `/say ${ALL}`,
  ].join("\n");
  await say(page, script);
  await page.getByRole("button", { name: "Approve" }).waitFor();
  for (const title of ["Create a page", "Read a page"]) {
    await page.locator(".call-title", { hasText: title }).click();
  }
  await page.locator(".call-inside").nth(1).waitFor();
  await expectHarmless(page);
  await ready(page);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  await expectHarmless(page);

  // The title of the session, the list, and each panel beside the chat.
  const response = await page.request.patch(`/api/sessions/${sessionOf(page)}`, {
    data: { title: ALL.slice(0, 100) },
  });
  expect(response.status()).toBe(200);
  await visitors.visit(page);
  await page.getByRole("button", { name: "Copy the answer" }).waitFor();
  for (const panel of ["Site", "Trace", "Memory", "Settings"]) {
    await page.getByRole("navigation", { name: "Beside the chat" }).getByText(panel).click();
    await page.getByRole("complementary", { name: panel.toLowerCase() }).waitFor();
    await expectHarmless(page);
  }
});

test("the preview of a hostile page runs nothing and cannot leave its frame", async () => {
  const page = await watched();
  const section = { template: "feature", content: { heading: "Hostile", description: ALL } };
  await say(
    page,
    `/call page_create ${JSON.stringify({ name: "Framed", slug: "framed", sections: [section] })}\n/then\n/say Made.`,
  );
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.frameLocator('iframe[data-shown="true"]').getByText("Hostile").waitFor();
  await expectHarmless(page);
  expect(await page.locator("iframe").first().getAttribute("sandbox")).toBe("allow-same-origin");
});

test("60 KB of marks in an answer are shown as they are, and the page goes on", async () => {
  const page = await watched();
  const marks = "_*".repeat(30_000);
  await say(page, `/say ${marks}`);
  const answer = page.getByRole("article", { name: "Cairn" });
  await answer.getByRole("button", { name: "Copy the answer" }).waitFor();
  await expect.poll(() => answer.locator(".prose").allTextContents()).toEqual([marks]);
  await say(page, "/say Here I am.");
  await page.getByText("Here I am.", { exact: true }).waitFor();
});

test("a call that the model writes as text is folded away, and the run says that it could not be finished", async () => {
  const page = await watched();
  // One that is JSON and nothing else would be taken as the call.
  const call = "page_list(status='all')";
  await say(page, `/say ${call}`);
  const answer = page.getByRole("article", { name: "Cairn" });
  // In the closing report, and in the line beneath it.
  const why = answer.getByText("because the model's replies could not be used");
  await expect.poll(() => why.count()).toBe(2);
  expect(await answer.getByText("it wrote a tool call as text").count()).toBe(2);
  // The message is drawn again when its list follows the end of the run.
  await expect.poll(() => answer.locator("details:not([open])", { hasText: call }).count()).toBe(2);
  expect(await answer.locator(".prose", { hasText: call }).filter({ visible: true }).count()).toBe(0);
});
