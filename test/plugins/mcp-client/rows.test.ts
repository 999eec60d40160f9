import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  deleteAccount,
  deleteServer,
  forgetListings,
  readAccount,
  readListings,
  readServers,
  SERVERS_STORED_MAX,
  writeAccount,
  writeListing,
  writeServer,
} from "../../../src/plugins/mcp-client/rows.ts";
import { mcpServer } from "../../../src/plugins/mcp-client/server.ts";
import { FakeD1 } from "../../sim/site/d1.ts";

/** The rows of MCP servers: whose each is, and what goes with what. */

let d1: FakeD1;
let db: D1Database;
beforeEach(() => {
  d1 = new FakeD1();
  db = d1.binding;
});
afterEach(() => d1.close());

const server = (name: string, url = "https://a.example/mcp") => mcpServer({ name, url });
const listing = (name: string, account: string, triedAt = 1) => ({
  server: name,
  account,
  settings: "s",
  listing: null,
  problem: null,
  triedAt,
});
const account = (name: string, of: string, sealed: string) => ({ server: name, account: of, sealed, at: 1 });
const count = (table: string) => Number(d1.rows(`SELECT count(*) AS n FROM ${table}`)[0]?.["n"]);
const accountsOf = async () =>
  (await readListings(db, null)).map(({ server: of, account: who }) => `${of}/${who}`);

describe("a server", () => {
  test("is made, replaced and taken away, with what it listed and the accounts at it", async () => {
    expect(await writeServer(db, server("sky"), "ada", 1)).toBe("created");
    await writeServer(db, server("sea"), "ada", 1);
    for (const name of ["sky", "sea"]) {
      await writeListing(db, listing(name, "ada"));
      await writeAccount(db, account(name, "ada", "x"), "any");
    }
    expect(await writeServer(db, server("sky", "https://b.example/mcp"), "bob", 2)).toBe("replaced");
    expect(
      (await readServers(db)).map(({ server: { name, url }, updatedBy }) => [name, url, updatedBy]),
    ).toEqual([
      ["sea", "https://a.example/mcp", "ada"],
      ["sky", "https://b.example/mcp", "bob"],
    ]);
    // New settings drop the old tool listing; signed-in accounts stay.
    expect(await accountsOf()).toEqual(["sea/ada"]);
    expect(await readAccount(db, "sky", "ada")).toBe("x");
    await writeListing(db, listing("sky", "ada"));
    expect(await deleteServer(db, "sky")).toBe(true);
    expect(await deleteServer(db, "sky")).toBe(false);
    expect(await accountsOf()).toEqual(["sea/ada"]);
    expect([await readAccount(db, "sky", "ada"), await readAccount(db, "sea", "ada")]).toEqual([null, "x"]);
  });

  test("is one of so many, and one that is there is replaced all the same", async () => {
    for (let n = 0; n < SERVERS_STORED_MAX; n++) await writeServer(db, server(`s${n}`), "ada", 1);
    expect(await writeServer(db, server("more"), "ada", 1)).toBe("too_many");
    expect(count("mcp_servers")).toBe(SERVERS_STORED_MAX);
    expect(await writeServer(db, server("s0", "https://b.example/mcp"), "ada", 2)).toBe("replaced");
    await deleteServer(db, "s1");
    expect(await writeServer(db, server("more"), "ada", 1)).toBe("created");
  });

  test("that this version cannot read is left out", async () => {
    await writeServer(db, server("sky"), "ada", 1);
    d1.exec("INSERT INTO mcp_servers VALUES ('odd', '{\"name\":\"odd\"}', 1, 'ada')");
    expect((await readServers(db)).map(({ server: { name } }) => name)).toEqual(["sky"]);
  });
});

describe("a list", () => {
  test("is read by its own person and, where it is the deployment's, by everybody", async () => {
    for (const who of ["", "ada", "bob"]) await writeListing(db, listing("sky", who));
    const readBy = async (who: string | null) =>
      (await readListings(db, who)).map((row) => row.account).toSorted();
    expect([await readBy("ada"), await readBy("eve"), await readBy(null)]).toEqual([
      ["", "ada"],
      [""],
      ["", "ada", "bob"],
    ]);
  });

  test("replaces the one of before, of the same server and account alone", async () => {
    await writeListing(db, { ...listing("sky", "ada"), problem: "It is down." });
    await writeListing(db, listing("sky", "bob"));
    const tools = { server: "sky", settings: "t", at: 2, protocol: "p", discover: null, tools: [], left: [] };
    await writeListing(db, { ...listing("sky", "ada", 2), settings: "t", listing: tools });
    const rows = await readListings(db, null);
    expect(rows.toSorted((a, b) => (a.account < b.account ? -1 : 1))).toEqual([
      { ...listing("sky", "ada", 2), settings: "t", listing: tools },
      listing("sky", "bob"),
    ]);
    await writeListing(db, listing("sea", "ada"));
    await forgetListings(db, "sky");
    expect(await accountsOf()).toEqual(["sea/ada"]);
  });
});

describe("an account", () => {
  const write = (sealed: string, over: Parameters<typeof writeAccount>[2]) =>
    writeAccount(db, account("sky", "ada", sealed), over);
  const stored = () => readAccount(db, "sky", "ada");

  test("is written over anything, over what is there, or over exactly what was read", async () => {
    expect([await write("a", "kept"), await write("a", { sealed: "a" }), await stored()]).toEqual([
      false,
      false,
      null,
    ]);
    expect([await write("a", "any"), await stored()]).toEqual([true, "a"]);
    expect([await write("b", { sealed: "other" }), await stored()]).toEqual([false, "a"]);
    expect([await write("b", { sealed: "a" }), await stored()]).toEqual([true, "b"]);
    expect([await write("c", "kept"), await stored()]).toEqual([true, "c"]);
    expect([await write("d", "any"), await stored()]).toEqual([true, "d"]);
  });

  test("of somebody else or at another server stays as it is", async () => {
    await write("a", "any");
    await writeAccount(db, account("sky", "bob", "b"), "any");
    await writeAccount(db, account("sea", "ada", "c"), "any");
    for (const who of ["ada", "bob"]) await writeListing(db, listing("sky", who));
    await write("changed", "kept");
    const others = async () => [await readAccount(db, "sky", "bob"), await readAccount(db, "sea", "ada")];
    expect(await others()).toEqual(["b", "c"]);
    await deleteAccount(db, "sky", "ada");
    expect([await stored(), ...(await others())]).toEqual([null, "b", "c"]);
    expect(await accountsOf()).toEqual(["sky/bob"]);
  });
});
