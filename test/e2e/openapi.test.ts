import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import SwaggerParser from "@apidevtools/swagger-parser";
import { Validator } from "@seriousme/openapi-schema-validator";
import { generateSource } from "oazapfts";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { PROJECT } from "../../src/cli/places.ts";
import { runProgram } from "../../src/cli/start/programs.ts";
import { useServer } from "./clients/server.ts";

/** The OpenAPI document in the hands of those who read it: two validators, and a client that is made of it. */

const server = useServer();
let folder: string;
let file: string;

beforeAll(async () => {
  mkdirSync(path.join(PROJECT, "dist"), { recursive: true });
  // Inside of the project, so that the client finds its packages.
  folder = mkdtempSync(path.join(PROJECT, "dist/openapi-"));
  file = path.join(folder, "openapi.json");
  writeFileSync(file, await (await fetch(`${server.url}/api/openapi.json`)).text());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("two validators find nothing wrong with it", async () => {
  expect(await new Validator().validate(file)).toEqual({ valid: true });
  const parsed = await SwaggerParser.validate(file);
  expect(parsed.info.title).toBe("Cairn");
});

/** Compiles only when every field has its type: an error that is expected has to be there. */
const PROGRAM = `
import { ok } from "@oazapfts/runtime";
import * as cairn from "./client.ts";

export async function use(baseUrl: string): Promise<unknown[]> {
  cairn.defaults.baseUrl = baseUrl;
  const session = await ok(cairn.postSessions({ id: "made", title: "By a client", metadata: { tags: ["a", 1, null] } }));
  // @ts-expect-error a message needs its words
  const wrong = () => cairn.postSessionSteer("made", {});
  const accepted = await ok(
    cairn.postSessionMessages("made", { text: '/call page_delete {"pages":["about"]}\\n/then\\n/say Done.' }),
  );
  const waiting = async (): Promise<cairn.Approval> => {
    for (;;) {
      const [approval] = (await ok(cairn.getApprovals({ sessionId: "made" }))).items;
      if (approval !== undefined) return approval;
    }
  };
  const approval = await waiting();
  // @ts-expect-error no such state
  const never: boolean = approval.state === "nonsense";
  const expiresAt: string = approval.expiresAt;
  const reasons: (string | null)[] = approval.votes.map((vote) => vote.reason);
  const digest: string | undefined = approval.result?.digest;
  const decided = await ok(cairn.postSessionApproval("made", approval.id, { decision: "deny", digest: approval.digest }));
  const missing = await cairn.getSession("none");
  return [session.title, typeof accepted === "string" ? accepted : accepted.mode, typeof expiresAt, reasons, digest, decided.state, missing.status, wrong, never];
}
`;

test("a client that is made of it compiles, and works with a real server", async () => {
  writeFileSync(path.join(folder, "client.ts"), await generateSource(file));
  writeFileSync(path.join(folder, "program.ts"), PROGRAM);
  const tsconfig = {
    extends: "../../tsconfig.json",
    compilerOptions: { lib: ["es2024", "dom", "dom.iterable"], types: [] },
    include: ["*.ts"],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const { code, out, err } = await runProgram("tsc", ["-p", folder]);
  expect({ code, out, err }).toEqual({ code: 0, out: "", err: "" });

  const program: unknown = await import(pathToFileURL(path.join(folder, "program.ts")).href);
  const isUse = (value: unknown): boolean => typeof value === "function";
  const { use } = z.object({ use: z.custom<(url: string) => Promise<unknown[]>>(isUse) }).parse(program);
  const said = await use(server.url);
  expect(said.slice(0, 7)).toEqual(["By a client", "queue", "string", [], undefined, "denied", 404]);
});
