import type { BrowserContext, Page } from "playwright-core";
import { build } from "vite";
import type { Tab } from "./tab.ts";

/** The page of `main.ts`, built as anybody builds theirs, in tabs of a server. */

export type HookName = "agents" | "http" | "websocket";

/** The page's script. */
export async function buildHooksPage(): Promise<string> {
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      lib: { entry: "main.ts", formats: ["iife"], name: "hooks" },
    },
  });
  const [bundle] = Array.isArray(built) ? built : [built];
  const [chunk] = bundle !== undefined && "output" in bundle ? bundle.output : [];
  if (chunk === undefined || chunk.type !== "chunk") throw new Error("the page was not built");
  return chunk.code;
}

/** A tab of this person with a hook on a session; resolves when the hook has its list. */
export async function openHook(
  person: BrowserContext,
  script: string,
  hook: HookName,
  session: string,
): Promise<Page> {
  const page = await person.newPage();
  // Any address of the server will do. The policy of what it serves is not that of the page which is tried here.
  await page.goto(`/healthz?hook=${hook}&session=${session}`);
  await page.evaluate(script);
  await page.waitForFunction("globalThis.tab !== undefined");
  return page;
}

/** Messages, status and error that the hook shows now. */
export const look = (page: Page): Promise<Pick<Tab, "messages" | "status" | "error">> =>
  page.evaluate("(({ messages, status, error }) => ({ messages, status, error }))(globalThis.tab)");

/** Calls the hook, and waits for nothing. */
export async function act(
  page: Page,
  method: "send" | "regenerate" | "decide" | "resume",
  ...values: unknown[]
): Promise<void> {
  const args = values.map((value) => JSON.stringify(value)).join(", ");
  await page.evaluate(`void Promise.resolve(globalThis.tab.${method}(${args})).catch(() => {})`);
}
