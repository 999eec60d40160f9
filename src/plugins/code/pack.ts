import { definePack } from "../../cairn/tools/define.ts";
import { fetcherOf, textOf, type Fetcher } from "../../cairn/outbound/bindings.ts";
import { runCode, runNetworkedCode, type CodeServices } from "./run-code.ts";
import type { Sandbox } from "./sandbox.ts";

/** Environment of the code tools (docs/configuration.md). */
export interface CodeBindings {
  /** a loader of dynamic workers */
  readonly LOADER?: WorkerLoader;
  /** a service that answers as SandboxFusion does */
  readonly SANDBOX?: { readonly fetch: Fetcher };
  readonly SANDBOX_URL?: unknown;
  readonly SANDBOX_AUTHORIZATION?: unknown;
  readonly SANDBOX_NETWORK?: unknown;
  readonly MEDIA?: R2Bucket;
  /** not a variable: the port of a test */
  readonly fetcher?: Fetcher;
}

/** of JavaScript */
const CPU_MS = 10_000;

const NONE = "No code is run here: bind LOADER, or set SANDBOX_URL (docs/research.md of Cairn).";
const NO_URL = "SANDBOX_URL is no URL.";

/** Code without access to anything: JavaScript, and Python if the operator declares that the sandbox has no network. */
export const codePack = definePack<CodeBindings, CodeServices>({
  name: "code",
  tools: [runCode],
  prompts: [],
  services: (env) => {
    const sandbox = sandboxOf(env);
    if (sandbox === "wrong") return { unavailable: NO_URL };
    const { LOADER: loader } = env;
    const javascript = loader === undefined ? null : { loader, cpuMs: CPU_MS };
    const own = isIsolated(env) ? sandbox : null;
    if (javascript === null && own === null) return { unavailable: NONE, wanted: false };
    return { javascript, sandbox: own, bucket: env.MEDIA ?? null };
  },
});

/** Code in a sandbox that may have a network. */
export const networkedCodePack = definePack<CodeBindings, CodeServices>({
  name: "networked-code",
  tools: [runNetworkedCode],
  prompts: [],
  services: (env) => {
    const sandbox = sandboxOf(env);
    if (sandbox === "wrong") return { unavailable: NO_URL };
    if (sandbox === null) return { unavailable: NONE, wanted: false };
    if (isIsolated(env))
      return { unavailable: "The sandbox has no network: run_code runs it.", wanted: false };
    return { javascript: null, sandbox, bucket: env.MEDIA ?? null };
  },
});

/** Whatever is not plainly off is a network. */
const isIsolated = ({ SANDBOX_NETWORK: network }: CodeBindings): boolean =>
  network === false || /^(?:off|false|0)$/i.test(textOf(network));

function sandboxOf(env: CodeBindings): Sandbox | null | "wrong" {
  const authorization = textOf(env.SANDBOX_AUTHORIZATION);
  const { SANDBOX: service } = env;
  if (service !== undefined)
    return { ask: (path, init) => service.fetch(`http://sandbox${path}`, init), authorization };
  const url = textOf(env.SANDBOX_URL).replace(/\/+$/, "");
  if (url === "") return null;
  if (!URL.canParse(url)) return "wrong";
  const fetch = fetcherOf(env);
  return { ask: (path, init) => fetch(url + path, init), authorization };
}
