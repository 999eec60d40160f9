import { describe, expect, test } from "vitest";
import { Account, type KeptAccount } from "../../../src/tools/mcp/account.ts";

/** Two that use one account at once: a person who signs in, and runs that renew its tokens. */

const server = {
  name: "sky",
  url: "https://sky.example/mcp",
  auth: { type: "oauth", for: "person" },
} as unknown as ConstructorParameters<typeof Account>[0]["server"];
const tokens = (name: string) => ({
  access_token: `access-${name}`,
  refresh_token: `refresh-${name}`,
  token_type: "Bearer",
});
const CALLBACK = "https://cairn.example/api/mcp/callback";

/** A stored record, and accounts that were opened on what it was at that moment. */
function store(first: KeptAccount | null) {
  const row: { value: KeptAccount | null } = { value: first };
  const open = (isSigningIn: boolean, callback = CALLBACK): Account => {
    const wasThere = row.value !== null;
    return new Account(
      {
        server,
        kept: row.value ?? {},
        update: (change) => {
          if (row.value === null && wasThere && !isSigningIn) return Promise.resolve(null);
          row.value = change(row.value ?? {});
          return Promise.resolve(row.value);
        },
        callback,
        clientSecret: null,
        now: () => 1_000,
        newId: () => "id",
      },
      isSigningIn,
    );
  };
  return { row, open };
}

describe("a person who signs in while a run renews the tokens", () => {
  test("writes over none of them, at any of its steps", async () => {
    const { row, open } = store({ tokens: tokens("old") });
    const [signing, running] = [open(true), open(false)];
    await running.saveTokens(tokens("renewed"));
    await signing.saveDiscoveryState({ authorizationServerUrl: "https://login.example" });
    await signing.saveClientInformation({ client_id: "c" });
    await signing.state();
    await signing.saveCodeVerifier("v");
    expect(row.value).toMatchObject({
      tokens: tokens("renewed"),
      client: { client_id: "c" },
      pending: { state: "sky.id", verifier: "v" },
    });
  });

  test("and fails leaves the tokens that there were", async () => {
    const { row, open } = store({ tokens: tokens("old") });
    const signing = open(true);
    await signing.state();
    await signing.invalidateCredentials("tokens");
    expect(row.value?.tokens).toEqual(tokens("old"));
  });

  test("and ends it replaces them; a run that renews ends no sign-in", async () => {
    const { row, open } = store({ tokens: tokens("old") });
    const [signing, running] = [open(true), open(false)];
    await signing.state();
    await running.saveTokens(tokens("renewed"));
    expect(row.value?.pending?.state).toBe("sky.id");
    await signing.saveTokens(tokens("signed-in"));
    expect(row.value).toEqual({ tokens: tokens("signed-in") });
  });
});

describe("two that renew at once", () => {
  test("the one that is refused goes on with what the other has stored", async () => {
    const { row, open } = store({ tokens: tokens("old") });
    const [first, second] = [open(false), open(false)];
    await first.saveTokens(tokens("renewed"));
    await second.invalidateCredentials("tokens");
    expect(second.tokens()).toEqual(tokens("renewed"));
    expect(row.value?.tokens).toEqual(tokens("renewed"));
  });

  test("tokens that nobody has renewed are dropped when the server refuses them", async () => {
    const { row, open } = store({ tokens: tokens("old"), client: { client_id: "c" } });
    const one = open(false);
    await one.invalidateCredentials("tokens");
    expect(one.isReady).toBe(false);
    expect(row.value).toEqual({ client: { client_id: "c" } });
  });

  test("a run stores nothing for a person who has signed out meanwhile", async () => {
    const { row, open } = store({ tokens: tokens("old") });
    const running = open(false);
    row.value = null;
    await running.saveTokens(tokens("renewed"));
    expect(row.value).toBeNull();
    expect(running.tokens()).toEqual(tokens("renewed"));
  });
});

describe("a client that was registered with another callback", () => {
  const client = { client_id: "c" };
  test.each<[string, KeptAccount]>([
    ["as stored", { client, registered: "https://old.example/cb" }],
    [
      "as its registration answered",
      { client: { ...client, redirect_uris: ["https://old.example/cb"] } as never },
    ],
  ])("%s is registered anew by a sign-in, and still renews tokens", (_how, kept) => {
    const { open } = store(kept);
    expect(open(true).clientInformation()).toBeUndefined();
    expect(open(false).clientInformation()).toMatchObject(client);
  });

  test("stays where the callback is the same", async () => {
    const { open } = store({});
    await open(true).saveClientInformation(client);
    expect(open(true).clientInformation()).toEqual(client);
    expect(open(true, "https://new.example/cb").clientInformation()).toBeUndefined();
  });
});
