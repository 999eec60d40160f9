import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

/**
 * The tools that the conformance suite calls by name when it tries tasks, worked by real runs of Cairn: a proxy in front of /mcp
 * that calls agent_start in their place, and gives the suite's answer to a form the words of Cairn's. All else, and every
 * answer, goes through as it is.
 */

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** A stored agent that may take one step, and fails when it wants another. */
export const FAILING = {
  name: "failing",
  definition: { description: "Fails.", limits: { steps: 1 }, onExhausted: "fail" },
};

let pages = 0;

/** A run that waits for a person: it makes a page, and asks to delete it. */
function waits(): object {
  const name = `Waits${(pages += 1)}`;
  const calls = [
    `/call page_create ${JSON.stringify({ name })}`,
    `/call page_delete ${JSON.stringify({ pages: [name.toLowerCase()] })}`,
  ];
  return { objective: [...calls, "/say Done."].join("\n/then\n") };
}

const FAILS = { objective: "/call page_list {}\n/then\n/call find {}\n/then\n/say No.", agent: FAILING.name };

/** By the suite's tool and its arguments: those of agent_start. */
const TOOLS: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => object>> = {
  greet: ({ name }) => ({ objective: `/say Hello, ${String(name)}!` }),
  slow_compute: ({ seconds }) => (Number(seconds) > 10 ? waits() : { objective: "/say Computed." }),
  failing_job: () => FAILS,
  protocol_error_job: () => FAILS,
  confirm_delete: waits,
};

const messageSchema = z.looseObject({
  method: z.string(),
  params: z
    .looseObject({
      name: z.string().optional(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      inputResponses: z.record(z.string(), z.unknown()).optional(),
      _meta: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});

/** The message as Cairn is asked it, and the header that names its tool. */
function translate(
  text: string,
  named: string | null,
): { readonly body: string; readonly named: string | null } {
  const parsed = messageSchema.safeParse(JSON.parse(text));
  if (!parsed.success || parsed.data.params === undefined) return { body: text, named };
  const { method, params } = parsed.data;
  const { name = "", arguments: args = {}, inputResponses, _meta = {} } = params;
  const work = method === "tools/call" ? TOOLS[name] : undefined;
  if (work !== undefined) {
    // Tools that answer at once do so for a client without tasks.
    const capabilities = { ...(_meta[CAPABILITIES] as Record<string, unknown> | undefined) };
    if (name === "greet") delete capabilities["extensions"];
    const meta = { ..._meta, ...(CAPABILITIES in _meta ? { [CAPABILITIES]: capabilities } : {}) };
    const asked = { ...params, name: "agent_start", arguments: work(args), _meta: meta };
    return {
      body: JSON.stringify({ ...parsed.data, params: asked }),
      named: named === name ? "agent_start" : named,
    };
  }
  if (method !== "tasks/update" || inputResponses === undefined) return { body: text, named };
  const answers = Object.entries(inputResponses).map(([key, given]) => [key, saysYes(given) ? YES : given]);
  const asked = { ...params, inputResponses: Object.fromEntries(answers) as object };
  return { body: JSON.stringify({ ...parsed.data, params: asked }), named };
}

const YES = { action: "accept", content: { decision: "approve" } };
const saysYes = (given: unknown): boolean =>
  z.object({ content: z.object({ confirm: z.literal(true) }) }).safeParse(given).success;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += String(piece);
  return text;
}

/** Brings the proxy up in front of the address. `url` has the path; close it after the last test. */
export async function standIn(target: string): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    void (async () => {
      const text = await textOf(request);
      const headers = new Headers();
      for (const [name, value] of Object.entries(request.headers))
        if (typeof value === "string" && /^(accept|content-type|mcp-.*)$/.test(name))
          headers.set(name, value);
      const { body, named } = translate(text, headers.get("mcp-name"));
      if (named !== null) headers.set("mcp-name", named);
      const answered = await fetch(target, { method: request.method ?? "POST", headers, body });
      response.writeHead(answered.status, {
        "content-type": answered.headers.get("content-type") ?? "text/plain",
      });
      response.end(await answered.text());
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => server.close() };
}
