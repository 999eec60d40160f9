import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseDeployOptions } from "../../src/cli/deploy/deploy-options.ts";
import { runDeployment } from "../../src/cli/deploy/deploy-run.ts";
import { deployedAddress } from "../../src/cli/deploy/deployment.ts";
import type { Health, HealthAnswer } from "../../src/cli/start/health.ts";
import type { Loaded } from "../../src/cli/deploy/preflight-load.ts";
import type { Ended } from "../../src/cli/start/programs.ts";
import type { Project } from "../../src/cli/start/project.ts";
import { parseConfig } from "../fixtures/config.ts";
import { project, SOUND } from "./deploy-fixture.ts";

/** `npm run deploy` against a wrangler that only writes down what it is asked. */

const ADDRESS = "https://cairn.example.workers.dev";
const DEPLOYED = `Uploaded cairn (4.0 sec)\nDeployed cairn triggers (1.0 sec)\n  ${ADDRESS}\nCurrent Version ID: 0`;
const HEALTH: Health = {
  status: "ok",
  service: "cairn",
  model: "rehearsal:",
  rules: true,
  problems: [],
};
const ok = (out = ""): Ended => ({ code: 0, out, err: "" });
const no = (err: string): Ended => ({ code: 1, out: "", err });
const NO_WORKER = no(
  '✘ [ERROR] Worker "cairn" not found.\n\nIf this is a new Worker, run `wrangler deploy` first',
);

/** An account as wrangler tells of it, by the beginning of the command. What is not here succeeds without a word. */
type Told = Readonly<Record<string, Ended>>;
const EMPTY: Told = {
  whoami: ok('{"loggedIn":true,"email":"me@example.com","accounts":[{"id":"1","name":"Mine"}]}'),
  "d1 list": ok("[]"),
  "r2 bucket info": no("The specified bucket does not exist. [code: 10006]"),
  "secret list": NO_WORKER,
  "deploy --dry-run": ok("Total Upload: 1177 KiB / gzip: 386.59 KiB"),
  deploy: ok(DEPLOYED),
};
const DEPLOYED_BEFORE: Told = {
  ...EMPTY,
  "d1 list": ok('[{"uuid":"0b1f","name":"cairn"}]'),
  "r2 bucket info": ok("{}"),
  "secret list": ok('[{"name":"AUTH_TOKENS","type":"secret_text"}]'),
};

async function deployOn(
  told: Told,
  given: { check?: boolean; accountId?: string; of?: Project; loaded?: Loaded } = {},
) {
  const asked: { readonly args: string; readonly input: string | undefined }[] = [];
  const said: string[] = [];
  let remembered = 0;
  const health: HealthAnswer = { kind: "cairn", health: HEALTH };
  const loaded: Loaded = given.loaded ?? { kind: "health", health: HEALTH };
  const well = await runDeployment(
    given.of ?? project(),
    { check: given.check === true, subject: "ada" },
    {
      run: (program, args, input) => {
        const text = `${program === "wrangler" ? "" : `${program} `}${args.join(" ")}`;
        asked.push({ args: text, input });
        const known = Object.keys(told).filter((each) => text.startsWith(each));
        return Promise.resolve(told[known.toSorted((a, b) => b.length - a.length)[0] ?? ""] ?? ok());
      },
      print: (line) => said.push(line),
      load: () => Promise.resolve(loaded),
      outdir: "/out",
      random: () => new Uint8Array(32).fill(7),
      remember: () => {
        remembered++;
      },
      health: () => Promise.resolve(health),
      accountId: given.accountId ?? null,
    },
  );
  return { well, asked, commands: asked.map((each) => each.args), said: said.join("\n"), remembered };
}

const LOOKS = [
  "whoami --json",
  "d1 list --json",
  "r2 bucket info cairn-media --json",
  "secret list --format json",
  "types",
  "tsc -p .",
  "deploy --dry-run --outdir /out",
];
const TOKEN = `cairn_${Buffer.alloc(32, 7).toString("base64url")}`;

describe("a first deployment", () => {
  test("makes what is missing, in an order in which the code never meets missing tables", async () => {
    const { well, commands, remembered } = await deployOn(EMPTY);
    expect(well).toBe(true);
    expect(commands).toEqual([
      ...LOOKS,
      "d1 create cairn",
      "r2 bucket create cairn-media",
      "d1 migrations apply DB --remote",
      "deploy",
      "secret put AUTH_TOKENS",
    ]);
    expect(remembered).toBe(1);
  });

  test("shows the token once, sends its digest alone, and puts no secret among arguments", async () => {
    const { asked, said } = await deployOn(EMPTY);
    expect(said.split(TOKEN)).toHaveLength(2);
    expect(asked.map((each) => each.args).join("\n")).not.toContain(TOKEN);
    const typed = asked.flatMap((each) => each.input ?? []);
    const digest = createHash("sha256").update(TOKEN).digest("hex");
    expect(typed).toEqual([
      `{"sha256:${digest}":{"subject":"ada","scopes":["read","send","approve","admin"]}}`,
    ]);
    const { tokens, problems } = parseConfig({ AUTH_TOKENS: typed[0], SESSION: {}, DB: {}, MEDIA: {} });
    expect(problems).toEqual([]);
    expect(tokens).toMatchObject([{ digest, subject: "ada", expiresAt: null }]);
  });

  test("shows each command as a person would type it, and the address in the end", async () => {
    const { said } = await deployOn(EMPTY);
    for (const command of [
      "d1 create cairn",
      "d1 migrations apply DB --remote",
      "deploy",
      "secret put AUTH_TOKENS",
    ])
      expect(said).toContain(`$ npx wrangler ${command}\n`);
    expect(said).toContain(`Cairn is deployed at ${ADDRESS}`);
    expect(said).toContain("model rehearsal: (rules, not a language model");
    expect(said).toContain(`npm run chat -- --url ${ADDRESS}`);
  });

  test("without a bucket in wrangler.toml asks for none", async () => {
    const { well, commands } = await deployOn(EMPTY, { of: project({ r2_buckets: [] }) });
    expect(well).toBe(true);
    expect(commands.filter((each) => each.startsWith("r2"))).toEqual([]);
  });
});

describe("the next deployment", () => {
  test("applies migrations, sends the worker and touches nothing else", async () => {
    const { well, commands, said } = await deployOn(DEPLOYED_BEFORE);
    expect(well).toBe(true);
    expect(commands).toEqual([...LOOKS, "d1 migrations apply DB --remote", "deploy"]);
    expect(said).not.toContain("cairn_");
  });

  test("after one that died before its token makes the token", async () => {
    const { commands } = await deployOn({ ...DEPLOYED_BEFORE, "secret list": ok("[]") });
    expect(commands.slice(LOOKS.length)).toEqual([
      "d1 migrations apply DB --remote",
      "deploy",
      "secret put AUTH_TOKENS",
    ]);
  });
});

describe("it stops before anything is changed", () => {
  test.each<readonly [when: string, told: Told, sentence: string]>([
    [
      "nobody is logged in",
      { ...EMPTY, whoami: { code: 1, out: '{"loggedIn":false}', err: "" } },
      "npx wrangler login",
    ],
    ["Cloudflare does not answer", { ...EMPTY, whoami: no("fetch failed") }, "fetch failed"],
    [
      "there are several accounts",
      {
        ...EMPTY,
        whoami: ok('{"loggedIn":true,"accounts":[{"id":"1","name":"Mine"},{"id":"2","name":"Work"}]}'),
      },
      "You have 2 accounts: Mine (1), Work (2).",
    ],
    [
      "databases cannot be listed",
      { ...EMPTY, "d1 list": no("Authentication error [code: 10000]") },
      "10000",
    ],
    [
      "secrets cannot be listed",
      { ...DEPLOYED_BEFORE, "secret list": no("A request timed out") },
      "timed out",
    ],
    [
      "the types do not hold",
      { ...EMPTY, "tsc -p .": { code: 2, out: "src/x.ts(1,1): error TS1", err: "" } },
      "TS1",
    ],
    [
      "it does not build",
      { ...EMPTY, "deploy --dry-run": no("Could not resolve ./x.ts") },
      "Could not resolve",
    ],
  ])("when %s", async (_, told, sentence) => {
    const { well, commands, said, remembered } = await deployOn(told);
    expect(well).toBe(false);
    expect(LOOKS.slice(0, commands.length)).toEqual(commands);
    expect(said).toContain(sentence);
    expect(said).toContain("→ ");
    expect(remembered).toBe(0);
  });

  test("when wrangler.toml names a database of another account", async () => {
    const id = "12345678-1234-1234-1234-123456789abc";
    const of = project({ d1_databases: [{ binding: "DB", database_name: "cairn", database_id: id }] });
    const { well, commands, said } = await deployOn(DEPLOYED_BEFORE, { of });
    expect(well).toBe(false);
    expect(commands).toEqual(LOOKS);
    expect(said).toContain(`This account has no database ${id}`);
  });

  test("when the project has a fault, without asking wrangler at all", async () => {
    const { well, commands, said } = await deployOn(EMPTY, {
      of: project({ vars: { ALLOW_ANONYMOUS: "true" } }),
    });
    expect([well, commands]).toEqual([false, []]);
    expect(said).toContain("✗ ALLOW_ANONYMOUS: It is true under [vars].");
    expect(said).toContain("Nothing was deployed.");
  });
});

test("one of several accounts can be named", async () => {
  const whoami = ok('{"loggedIn":true,"accounts":[{"id":"1","name":"Mine"},{"id":"2","name":"Work"}]}');
  expect(await deployOn({ ...EMPTY, whoami }, { accountId: "2" })).toMatchObject({ well: true });
  expect(await deployOn({ ...EMPTY, whoami }, { of: project({ account_id: "2" }) })).toMatchObject({
    well: true,
  });
});

describe("a step that fails ends it, in wrangler's words", () => {
  test.each<readonly [step: string, words: string, hint: string, last: string]>([
    [
      "r2 bucket create",
      "Please enable R2 [code: 10042]",
      "R2 has to be switched on once",
      "r2 bucket create cairn-media",
    ],
    ["d1 migrations", "near TABEL: syntax error", "Fix that", "d1 migrations apply DB --remote"],
    ["deploy", "You need to register a workers.dev subdomain", "Workers & Pages", "deploy"],
    ["secret put", "A request failed", "answered with 401", "secret put AUTH_TOKENS"],
  ])("%s", async (step, words, hint, last) => {
    const { well, commands, said } = await deployOn({ ...EMPTY, [step]: no(`✘ [ERROR] ${words}`) });
    expect(well).toBe(false);
    expect(commands.at(-1)).toBe(last);
    expect(said).toContain(words);
    expect(said).toContain(hint);
    expect(said).not.toContain(TOKEN);
  });
});

test("--check asks for no account and deploys nothing", async () => {
  const { well, commands, said } = await deployOn({}, { check: true });
  expect(commands).toEqual(["types", "tsc -p .", "deploy --dry-run --outdir /out"]);
  expect(well).toBe(false);
  expect(said).toContain("Wrangler did not print the size of the worker.");
  expect(await deployOn(EMPTY, { check: true })).toMatchObject({ well: true, remembered: 0 });
});

describe("the worker is loaded once, and what it says of itself is told", () => {
  const saying = (status: Health["status"], variable: string): Loaded => ({
    kind: "health",
    health: { ...HEALTH, status, problems: [{ variable, message: "It is wrong." }] },
  });

  test.each<readonly [string, Loaded, boolean, string]>([
    [
      "a rule for no tool stops it",
      saying("ok", "src/agents: approvals.x"),
      false,
      "✗ src/agents: approvals.x: It is wrong.",
    ],
    [
      "a mapping with a fault stops it",
      saying("ok", "src/webhooks.ts: own"),
      false,
      "✗ src/webhooks.ts: own: It is wrong.",
    ],
    ["whatever closes its doors stops it", saying("misconfigured", "DB"), false, "✗ DB: It is wrong."],
    [
      "a pack that lacks its secret is told",
      saying("ok", "pack research"),
      true,
      "· pack research: It is wrong.",
    ],
    [
      "a module that throws stops it",
      { kind: "failed", output: "Uncaught Error: onStuck of an agent is { action }" },
      false,
      "onStuck of an agent is",
    ],
  ])("%s", async (_name, loaded, goesOn, line) => {
    const { well, commands, said } = await deployOn(EMPTY, { check: true, loaded });
    expect([well, said.includes(line)]).toEqual([goesOn, true]);
    expect(commands.at(-1)).toBe("deploy --dry-run --outdir /out");
    const deployed = await deployOn(EMPTY, { loaded });
    expect([deployed.well, deployed.commands.includes("deploy")]).toEqual([goesOn, goesOn]);
  });

  test("and what was told of a variable before is not told again", async () => {
    const of = project({ vars: { ...SOUND.vars, TITLES: "maybe" } });
    const { well, said } = await deployOn(EMPTY, { check: true, of, loaded: saying("ok", "TITLES") });
    expect([well, said.includes("Must be 1 or 0."), said.includes("It is wrong.")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("what wrangler printed as the address", () => {
  test.each([
    [DEPLOYED, ADDRESS],
    ["Deployed cairn triggers (1 sec)\n  cairn.example.com (custom domain)\n", "https://cairn.example.com"],
    ["No targets deployed for cairn (1 sec)", null],
    ["see https://dash.cloudflare.com/x/workers.dev for more", null],
  ])("%s", (out, address) => {
    expect(deployedAddress(out)).toBe(address);
  });
});

describe("the options", () => {
  test("are read, and nothing else is", () => {
    expect(parseDeployOptions([])).toEqual({ kind: "options", options: { check: false, subject: "me" } });
    expect(parseDeployOptions(["--check", "--subject", "ada@example.com"])).toEqual({
      kind: "options",
      options: { check: true, subject: "ada@example.com" },
    });
    expect(parseDeployOptions(["--help"])).toEqual({ kind: "help" });
    expect(parseDeployOptions(["--subject", "hook:x"])).toMatchObject({ kind: "usage" });
    expect(parseDeployOptions(["--force"])).toMatchObject({ kind: "usage" });
    expect(parseDeployOptions(["now"])).toMatchObject({ kind: "usage" });
  });
});
