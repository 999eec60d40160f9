import { describe, expect, test } from "vitest";
import { servicesOf, tryTool } from "../../../src/cairn/tools/define.ts";
import { codePack, networkedCodePack, type CodeBindings } from "../../../src/plugins/code/pack.ts";
import { runCode, runNetworkedCode, type CodeServices } from "../../../src/plugins/code/run-code.ts";

/** Python in a sandbox that speaks as SandboxFusion does, and where code is offered at all. */

interface Asked {
  readonly url: string;
  readonly body: Record<string, unknown>;
  readonly authorization: string | null;
}

function openSandbox(answer: (body: Record<string, unknown>) => Response | Promise<Response>) {
  const asked: Asked[] = [];
  const env: CodeBindings = {
    SANDBOX_URL: "https://sandbox.example.com/",
    SANDBOX_NETWORK: "off",
    SANDBOX_AUTHORIZATION: "Bearer k",
    fetcher: async (url, init) => {
      const body = JSON.parse(String(init.body)) as Record<string, unknown>;
      asked.push({ url, body, authorization: new Headers(init.headers).get("authorization") });
      return answer(body);
    },
  };
  return { env, asked };
}

const servicesIn = (env: CodeBindings): CodeServices => {
  const services = servicesOf(codePack, env, (text) => text);
  if ("unavailable" in services) throw new Error(services.unavailable);
  return services;
};
const python = async (env: CodeBindings, code: string, files?: string[]) => {
  const input = { language: "python" as const, code, ...(files === undefined ? {} : { files }) };
  return (await tryTool(runCode, { input, services: servicesIn(env) })).result;
};
const ran = (run_result: object, status = "Success") =>
  Response.json({ status, message: "", run_result: { status: "Finished", return_code: 0, ...run_result } });

describe("Python", () => {
  test("is sent as it is, and what it printed comes back", async () => {
    const { env, asked } = openSandbox(() => ran({ stdout: "42\n", stderr: "" }));
    expect(await python(env, "print(6 * 7)")).toEqual({ ok: true, value: { output: "42\n" } });
    expect(asked).toEqual([
      {
        url: "https://sandbox.example.com/run_code",
        authorization: "Bearer k",
        body: { code: "print(6 * 7)", language: "python", run_timeout: 50, files: {} },
      },
    ]);
  });

  test("that fails says what and on which line, behind what it printed", async () => {
    const stderr = `Traceback (most recent call last):\n  File "/tmp/a.py", line 2, in <module>\nZeroDivisionError: division by zero\n`;
    const { env } = openSandbox(() => ran({ return_code: 1, stdout: "begun\n", stderr }, "Failed"));
    expect(await python(env, 'print("begun")\n1 / 0')).toEqual({
      ok: true,
      value: { output: "begun\n", failed: { message: "ZeroDivisionError: division by zero", line: 2 } },
    });
  });

  test("that is too long, or prints too much, is cut and says so", async () => {
    const late = openSandbox(() => ran({ status: "TimeLimitExceeded", stdout: "" }, "Failed"));
    expect(await python(late.env, "while True: pass")).toMatchObject({
      value: { failed: { message: "It ran for too long and was stopped." } },
    });
    const loud = openSandbox(() => ran({ stdout: "x".repeat(1_048_576) }));
    const done = await python(loud.env, "print('x' * 2**20)");
    expect(done).toMatchObject({
      value: { cut: "983040 characters more are left out; at most 65536 are kept. Print less." },
    });
    expect(done.ok && JSON.stringify(done.value).length).toBeLessThan(66_000);
  });

  test.each([
    ["an error", () => new Response("no", { status: 502 }), "sandbox_unavailable", "it answered 502"],
    ["something else", () => new Response("<html>"), "sandbox_unavailable", "it answered something else"],
    ["JSON of another kind", () => Response.json({ ok: 1 }), "sandbox_unavailable", "something else"],
    ["nothing", () => Promise.reject(new TypeError("gone")), "sandbox_unavailable", "it did not answer"],
    [
      "that it is broken",
      () => Response.json({ status: "SandboxError", message: "no space" }),
      "sandbox_unavailable",
      "no space",
    ],
    ["that it does not know us", () => new Response("", { status: 401 }), "sandbox_auth", "refuses"],
  ])("of a sandbox that answers %s fails by its code", async (_, answer, code, words) => {
    const { env } = openSandbox(answer);
    expect(await python(env, "1")).toMatchObject({
      ok: false,
      error: { code, message: expect.stringContaining(words) as string, retryable: false },
    });
  });
});

describe("what does not fit", () => {
  const { env, asked } = openSandbox(() => ran({}));
  test.each([
    ["another language", { language: "ruby", code: "1" }, "invalid_input"],
    ["100 KB and a character", { language: "python", code: "a".repeat(100_001) }, "invalid_input"],
    ["no code", { language: "python", code: "" }, "invalid_input"],
    ["a language that is not run here", { language: "javascript", code: "1" }, "language_not_offered"],
    ["a file of nobody", { language: "python", code: "1", files: ["f_0"] }, "file_not_found"],
  ])("%s is refused before anything runs", async (_, input, code) => {
    const { result } = await tryTool(runCode, { input: input as never, services: servicesIn(env) });
    expect(result).toMatchObject({ ok: false, error: { code } });
    expect(asked).toEqual([]);
  });
});

describe("code is offered", () => {
  const offered = (env: CodeBindings): string[] =>
    [codePack, networkedCodePack]
      .filter((pack) => !("unavailable" in servicesOf(pack, env, (text) => text)))
      .map(({ name }) => name);
  const LOADER = {} as WorkerLoader;
  const SANDBOX_URL = "https://sandbox.example.com";
  test.each<[string, CodeBindings, string[]]>([
    ["nowhere without a binding", {}, []],
    ["as JavaScript with a loader", { LOADER }, ["code"]],
    ["with a person's yes where the sandbox may have a network", { SANDBOX_URL }, ["networked-code"]],
    ["the same where it is not plainly off", { SANDBOX_URL, SANDBOX_NETWORK: "maybe" }, ["networked-code"]],
    ["freely where the operator says that it has none", { SANDBOX_URL, SANDBOX_NETWORK: "off" }, ["code"]],
    ["as both", { LOADER, SANDBOX_URL }, ["code", "networked-code"]],
    ["not by an address that is none", { LOADER, SANDBOX_URL: "sandbox" }, []],
  ])("%s", (_, env, packs) => {
    expect(offered(env)).toEqual(packs);
  });

  test("through a binding as through an address", async () => {
    const urls: string[] = [];
    const SANDBOX = {
      fetch: (url: string) => {
        urls.push(url);
        return Promise.resolve(ran({ stdout: "1\n" }));
      },
    };
    const services = servicesOf(networkedCodePack, { SANDBOX }, (text) => text);
    if ("unavailable" in services) throw new Error(services.unavailable);
    const { result, preview } = await tryTool(runNetworkedCode, { input: { code: "print(1)" }, services });
    expect([result, urls]).toEqual([{ ok: true, value: { output: "1\n" } }, ["http://sandbox/run_code"]]);
    expect(preview).toMatchObject({ need: { kind: "ask" }, summary: "Runs 1 lines of Python." });
    const none = await tryTool(runNetworkedCode, {
      input: { code: "print(1)" },
      services: { ...services, sandbox: null },
    });
    expect([none.preview, none.result.ok]).toEqual([null, false]);
  });
});
