import { describe, expect, test } from "vitest";
import { suggestedRequests } from "../../../src/page/welcome/suggested-requests.ts";
import { DESK, PHONE, say, useBrowser, violations } from "./browser.ts";
import { useServer } from "../clients/server.ts";

const server = useServer();
const visitors = useBrowser(server);

describe("the chat", () => {
  test("begins with three wishes and says which model is in use", async () => {
    const page = await visitors.tab();
    for (const { text } of suggestedRequests(null)) await page.getByRole("button", { name: text }).waitFor();
    expect(await page.getByText("rehearsal model", { exact: true }).isVisible()).toBe(true);
    await page.getByText("How to use a real one").click();
    expect(await page.getByText("--var MODEL:openai-compatible:llama3.3").isVisible()).toBe(true);
  });

  test("shows a wish as steps with tool, input, what came back, time and tokens, and the answer", async () => {
    const page = await visitors.tab();
    await page.getByRole("button", { name: suggestedRequests(null)[1]!.text }).click();
    const answer = page.getByRole("article", { name: "Cairn" });
    await answer.getByText("visitors see it once the page is published again").waitFor();
    await answer.getByText(/4 steps/).waitFor();
    const step = answer.getByRole("group", { name: "Step 3" });
    expect(await step.textContent()).toMatch(
      /Edit a section.*\d+ m?s.*tokens|\d+ m?s.*tokens.*Edit a section/s,
    );
    await step.getByText("Edit a section").click();
    expect(await step.getByRole("region", { name: "Input of section_update" }).textContent()).toContain(
      "Walk slowly, see more",
    );
    expect(await step.getByRole("region", { name: "Result of section_update" }).textContent()).toContain(
      '"publicNow": false',
    );
  });

  test("a second message waits its turn, can be taken back, and can be sent at once instead", async () => {
    const page = await visitors.tab();
    await say(page, "/wait 4000\n/say First.");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await say(page, "/say Second.");
    await say(page, "/say Third.");
    const queue = page.getByRole("region", { name: "Queued messages" });
    await queue.getByText("/say Third.").waitFor();
    await queue.getByRole("button", { name: "Remove from the queue: /say Second." }).click();
    await queue.getByText("/say Second.").waitFor({ state: "detached" });
    await page.getByLabel("What happens with your message").selectOption("Replace");
    await say(page, "/say Fourth.");
    await page.getByText("Stopped, because a newer message took its place.").waitFor();
    await page.getByRole("article", { name: "Cairn" }).getByText("Fourth.", { exact: true }).waitFor();
    await page.getByRole("article", { name: "Cairn" }).getByText("Third.", { exact: true }).waitFor();
    expect(await page.getByRole("article", { name: "Cairn" }).getByText("Second.").count()).toBe(0);
  });

  test("a plan is ticked off, a question is answered in the box, words on the way are read before the next step", async () => {
    const page = await visitors.tab();
    const plan = (first: string, second: string): string =>
      `/call update_plan ${JSON.stringify({
        goal: "Look around",
        items: [
          { id: "p1", text: "Site overview", kind: "look", status: first },
          { id: "p2", text: "Tell what is there", kind: "deliver", status: second },
        ],
      })}`;
    await say(
      page,
      [
        plan("doing", "open"),
        "/call site_overview {}",
        "/then",
        plan("done", "doing"),
        '/call ask_human {"question":"Which one first?"}',
        "/then",
        // Long enough to add words to it on a busy machine.
        "/wait 5000",
        "/call page_list {}",
        "/then",
        "/say There it is.",
      ].join("\n"),
    );
    const answer = page.getByRole("article", { name: "Cairn" });
    await answer.getByText("1 of 2", { exact: true }).waitFor();
    await page.locator('#composer[placeholder="Your answer"]').waitFor();
    await page
      .getByRole("status")
      .getByText(/Waiting for your answer\s*1 of 2 done/)
      .waitFor();
    // New messages scroll into view, however many arrive at once.
    await expect.poll(() => page.getByRole("button", { name: "To the end" }).count()).toBe(0);
    await say(page, "the pages");
    await page.getByLabel("What happens with your message").selectOption("Add to this run");
    await say(page, "and be brief");
    await page.getByText("and be brief", { exact: true }).waitFor();
    await answer.getByText("There it is.", { exact: true }).waitFor();
    expect(await answer.count()).toBe(1);
    expect(await page.getByRole("region", { name: "Queued messages" }).count()).toBe(0);
  });

  test("an answer is made anew, but not one that changed something", async () => {
    const page = await visitors.tab();
    await say(page, "Which pages are on the site?");
    const again = page.getByRole("button", { name: "Try again" });
    await again.click();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    await again.waitFor();
    expect(await page.getByRole("article", { name: "Cairn" }).count()).toBe(1);
    await say(page, `/call page_create {"name":"Made once"}\n/then\n/say Made.`);
    await page.getByRole("article", { name: "Cairn" }).getByText("Made.", { exact: true }).waitFor();
    await again.click();
    await page.getByText("changed something", { exact: false }).waitFor();
  });

  test("an answer is drawn as markdown and copied as it was written", async () => {
    const person = await visitors.person({ ...DESK, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await person.newPage();
    await visitors.visit(page, "/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await say(page, "/say It is **there**, as `code`.");
    await page.getByRole("button", { name: "Copy the answer" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("It is **there**, as `code`.");
    expect(await page.getByRole("article", { name: "Cairn" }).getByRole("strong").textContent()).toBe(
      "there",
    );
  });

  test.each([
    ["light", { ...DESK, colorScheme: "light" }],
    ["dark", { ...DESK, colorScheme: "dark" }],
    ["on a phone", PHONE],
  ] as const)("a false answer stands below a receipt that contradicts it, %s", async (look, options) => {
    const page = await visitors.tab("", options);
    const name = `Crew ${look}`;
    const said = `The page “menu” was not changed, because there is none. La pagina ${name} è online.`;
    await say(
      page,
      `/call page_create {"name":"${name}"}\n/then\n/call page_update {"page":"menu","name":"Lunch"}\n/then\n/say ${said}`,
    );
    const answer = page.getByRole("article", { name: "Cairn" });
    const receipt = answer.getByRole("group", { name: "What was done" });
    await receipt.waitFor();
    expect(await answer.getByText(said, { exact: true }).last().isVisible()).toBe(true);
    expect(await receipt.locator("li > span").allTextContents()).toEqual([
      `Changed: Create a page: “${name}” (draft)`,
      "Failed: Edit page properties: “menu”: There is no page “menu”",
    ]);
    expect(await violations(page)).toEqual([]);
    // Without a call nothing was done; the words stay after a reload, and are read out at the end.
    await say(page, "/say La pagina Menu è online.");
    await page.getByRole("status").getByText("Answered. Nothing was changed.").waitFor();
    await visitors.visit(page);
    await receipt.nth(1).waitFor();
    expect(await receipt.nth(1).textContent()).toBe("Answered.Nothing was changed.");
  });

  test("stops", async () => {
    const page = await visitors.tab();
    await say(page, "/wait 60000\n/say Never.");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    expect(await page.getByText("Never.", { exact: true }).count()).toBe(0);
  });

  test.each([
    ["light", { ...DESK, colorScheme: "light" }],
    ["dark", { ...DESK, colorScheme: "dark" }],
    ["on a phone", PHONE],
  ] as const)("axe finds nothing in it, %s", async (_, options) => {
    const page = await visitors.tab("", options);
    expect(await violations(page)).toEqual([]);
    await say(page, "Which pages are on the site?");
    await page.getByRole("button", { name: "Copy the answer" }).waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
