import { describe, expect, test } from "vitest";
import {
  Account,
  SignInNeeded,
  type AccountDeps,
  type StoredAccount,
} from "../../../src/plugins/mcp-client/account.ts";
import { mcpServer, type McpServerDefinition } from "../../../src/plugins/mcp-client/server.ts";

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
function store(first: StoredAccount | null) {
  const row: { value: StoredAccount | null } = { value: first };
  const open = (isSigningIn: boolean, callback = CALLBACK): Account => {
    const wasThere = row.value !== null;
    return new Account(
      {
        server,
        stored: row.value ?? {},
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
  test.each<[string, StoredAccount]>([
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

/** An account on its own, opened by a run unless `isSigningIn`; `row` is what is stored of it. */
function own(
  auth: Exclude<McpServerDefinition["auth"], string | undefined>,
  kept: StoredAccount = {},
  { isSigningIn = false, ...deps }: Partial<AccountDeps> & { readonly isSigningIn?: boolean } = {},
) {
  const row: { value: StoredAccount } = { value: kept };
  const account = new Account(
    {
      server: mcpServer({ name: "sky", url: "https://sky.example/mcp", auth }),
      stored: kept,
      update: (change) => Promise.resolve((row.value = change(row.value))),
      callback: CALLBACK,
      clientSecret: null,
      now: () => 1_000,
      newId: () => "id",
      ...deps,
    },
    isSigningIn,
  );
  return { account, row };
}
const PERSON = { type: "oauth", for: "person" } as const;
const SET_UP = { ...PERSON, clientId: "set-up", clientSecret: "secret:SKY" } as const;
const MACHINE = {
  type: "oauth",
  for: "deployment",
  grant: "client_credentials",
  clientId: "set-up",
  clientSecret: "secret:SKY",
} as const;
const SECRET = "client-secret-0123456789";

describe("a run", () => {
  test("begins no sign-in: nobody is there to end it", async () => {
    const { account, row } = own(PERSON);
    await expect(account.state()).rejects.toThrow(SignInNeeded);
    expect(row.value).toEqual({});
  });

  test("has an account that is ready once there are tokens, or where no person is needed", () => {
    expect(own(PERSON).account.isReady).toBe(false);
    expect(own(PERSON, { tokens: tokens("a") }).account.isReady).toBe(true);
    expect(own(MACHINE).account.isReady).toBe(true);
  });

  test("stores no verifier where no sign-in has begun", async () => {
    const { account, row } = own(PERSON);
    await account.saveCodeVerifier("v");
    expect(row.value).toEqual({});
    expect(account.codeVerifier()).toBe("");
  });
});

describe("a client that the deployment has set up", () => {
  const issued = { client_id: "set-up", client_secret: SECRET, issuer: "https://login.example" };

  test("is shown to the authorization server that it was first shown to, which is all that is stored", async () => {
    const { account, row } = own(SET_UP, {}, { clientSecret: SECRET });
    expect(account.clientInformation()).toEqual({ client_id: "set-up", client_secret: SECRET });
    await account.saveClientInformation(issued);
    expect(row.value).toEqual({
      client: { client_id: "set-up", issuer: "https://login.example" },
      registered: CALLBACK,
    });
    expect(account.clientInformation()).toEqual(issued);
  });

  test.each([
    [SECRET, "client_secret_basic"],
    [null, "none"],
  ])("shows itself with its secret, where it has one (%s)", (clientSecret, method) => {
    const { account } = own(SET_UP, {}, { clientSecret });
    expect(account.clientMetadata.token_endpoint_auth_method).toBe(method);
  });
});

describe("client credentials", () => {
  test("need no person: no address to come back to, and a request of their own for a token", () => {
    const { account } = own({ ...MACHINE, scope: "read" }, {}, { clientSecret: SECRET });
    expect(account.redirectUrl).toBeUndefined();
    expect(account.clientMetadata).toMatchObject({
      redirect_uris: [],
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "read",
    });
    const asked = (scope?: string): object => Object.fromEntries(account.prepareTokenRequest(scope) ?? []);
    expect(asked()).toEqual({ grant_type: "client_credentials", scope: "read" });
    // The deployment says what for, whatever the server proposes.
    expect(asked("read write")).toEqual({ grant_type: "client_credentials", scope: "read" });
    const open = own(MACHINE).account;
    expect(open.prepareTokenRequest("write")?.get("scope")).toBe("write");
  });

  test("are not what a person signs in with", () => {
    const { account } = own(PERSON);
    expect(account.prepareTokenRequest("read")).toBeUndefined();
    expect(account.redirectUrl).toBe(CALLBACK);
    expect(account.clientMetadata).toMatchObject({
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    });
  });
});

test("everything secret of an account is known for one, also what it was before it was renewed", async () => {
  const kept = {
    client: { client_id: "c", client_secret: "registered-secret" },
    tokens: { ...tokens("old"), id_token: "id-old" },
  };
  const { account } = own(PERSON, kept, { clientSecret: SECRET });
  const before = ["access-old", "refresh-old", "id-old", "registered-secret", SECRET];
  await account.saveTokens(tokens("renewed"));
  expect([...account.secrets].toSorted()).toEqual(
    [...before, "access-renewed", "refresh-renewed"].toSorted(),
  );
});

describe("what a server refuses", () => {
  const pending = { state: "sky.id", at: 1, verifier: "v" };
  const discovery = { authorizationServerUrl: "https://login.example" };
  const whole: StoredAccount = {
    client: { client_id: "c" },
    registered: CALLBACK,
    tokens: tokens("old"),
    discovery,
    pending,
  };
  test.each([
    ["all", {}],
    ["client", { tokens: tokens("old"), discovery, pending }],
    ["tokens", { client: { client_id: "c" }, registered: CALLBACK, discovery, pending }],
    ["verifier", { client: { client_id: "c" }, registered: CALLBACK, tokens: tokens("old"), discovery }],
    ["discovery", { client: { client_id: "c" }, registered: CALLBACK, tokens: tokens("old"), pending }],
  ] as const)("%s: that goes, and nothing else", async (which, left) => {
    const { account, row } = own(PERSON, whole);
    await account.invalidateCredentials(which);
    expect(row.value).toEqual(left);
  });

  test("stays where another session has registered another client meanwhile", async () => {
    const { account, row } = own(PERSON, whole);
    row.value = { ...whole, client: { client_id: "newer" } };
    await account.invalidateCredentials("client");
    expect(row.value).toEqual({ ...whole, client: { client_id: "newer" } });
  });
});
