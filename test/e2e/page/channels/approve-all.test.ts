import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ApprovalView } from "../../../../src/cairn/protocol/approval.ts";
import { useServer } from "../../clients/server.ts";
import { DESK, PHONE, ready, useBrowser, violations } from "../browser.ts";

/** Several approvals by one act in the inbox: what each would do is read before, and what became of each after. */

const server = useServer();
const visitors = useBrowser(server);

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(`${server.url}/api/sessions/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
}

/** Has this asked for in a session of its own. */
async function asked(session: string, call: string): Promise<ApprovalView> {
  await post(`${session}/messages`, { text: `/call ${call}\n/then\n/say It is done.` });
  let found: ApprovalView | undefined;
  await expect
    .poll(async () => {
      const response = await fetch(`${server.url}/api/approvals?limit=100`);
      const { items } = (await response.json()) as { items: readonly ApprovalView[] };
      found = items.find(({ sessionId }) => sessionId === session);
      return found;
    })
    .toBeDefined();
  if (found === undefined) throw new Error("nothing was asked");
  return found;
}
const statesOf = (approvals: readonly ApprovalView[]): Promise<readonly string[]> =>
  Promise.all(
    approvals.map(async ({ sessionId, id }) => {
      const response = await fetch(`${server.url}/api/sessions/${sessionId}/approvals/${id}`);
      return ((await response.json()) as ApprovalView).state;
    }),
  );

/** At both widths: as a picture where one is wanted, and to axe. */
async function seen(page: Page, name: string): Promise<void> {
  const folder = process.env["SHOTS"];
  for (const { viewport } of [PHONE, DESK]) {
    await page.setViewportSize(viewport);
    expect(await violations(page)).toEqual([]);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${viewport.width}.png` });
  }
}

test.each(["light", "dark"] as const)(
  "lists each before it sends, decides each, and tells of the one that was decided meanwhile (%s)",
  async (colorScheme) => {
    // Each color scheme reverts what the other approved.
    const to = colorScheme === "light" ? "unpublished" : "published";
    const call = (slug: string): string =>
      `set_status ${JSON.stringify({ targets: [{ type: "page", ref: slug }], to })}`;
    const about = await asked(`ses_about_${colorScheme}`, call("about"));
    const contact = await asked(`ses_contact_${colorScheme}`, call("contact"));
    const late = await asked(`ses_late_${colorScheme}`, 'page_delete {"pages":["contact"]}');
    const approvals = [late, contact, about];

    const page = await visitors.tab("#/approvals", { ...DESK, colorScheme });
    const several = page.getByRole("region", { name: "Several at once" });
    await several.getByRole("button", { name: "Approve all 3…" }).click();
    await several.getByRole("heading", { name: "Approve these 3?" }).waitFor();
    expect(await page.locator(":focus").getAttribute("aria-labelledby")).toBe("approve-all-these");
    const rows = await several
      .getByRole("list", { name: "What is approved" })
      .locator("> li")
      .allTextContents();
    expect(rows).toHaveLength(3);
    for (const [at, { title, summary }] of approvals.entries()) {
      expect(rows[at]).toContain(title);
      expect(rows[at]).toContain(summary);
    }
    await seen(page, `all-list-${colorScheme}`);
    // Nothing was sent yet, and one may think better of it.
    await several.getByRole("button", { name: "Back" }).click();
    expect(await statesOf(approvals)).toEqual(["pending", "pending", "pending"]);
    await several.getByRole("button", { name: "Approve all 3…" }).click();

    await post(`${late.sessionId}/approvals/${late.id}`, { decision: "deny" });
    const cards = page.locator(".inbox-list article.approval");
    await cards.getByText(/^Denied by anonymous\./).waitFor();
    await ready(page, ".approve-all article.approval");
    await several.getByRole("button", { name: "Approve these 3" }).click();
    const told = several.getByRole("alert");
    await told.waitFor();
    await several.getByText("Approved: 2 of 3.").waitFor();
    expect(await told.allTextContents()).toEqual([
      `Not approved: ${late.title}. This approval was decided before.`,
    ]);
    expect(await statesOf(approvals)).toEqual(["denied", "approved", "approved"]);
    await expect.poll(() => cards.getByText("Approved by anonymous.").count()).toBe(2);
    await seen(page, `all-told-${colorScheme}`);
  },
);
