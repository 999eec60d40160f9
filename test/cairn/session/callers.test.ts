import { describe, expect, test } from "vitest";
import { Callers } from "../../../src/cairn/session/commands/callers.ts";
import type { Actor } from "../../../src/cairn/session/api/session-api.ts";
import { peopleIn } from "../../../src/cairn/config/rights.ts";

/** The rights of callers in an object that requests, sockets and streams outlive. */

const AT = Date.UTC(2026, 10, 21);
const TOKEN = "alice-real-token-0001";
const peopleOf = (grant: object | null, more: object = {}) =>
  peopleIn({ AUTH_TOKENS: grant === null ? {} : { [TOKEN]: grant }, ...more });
const ALICE = { subject: "alice", scopes: ["read", "send"] };
const [named] = peopleOf(ALICE).tokens;
const grant = named?.name ?? "";
const actor = (more: Partial<Actor> = {}): Actor => ({
  subject: "alice",
  scopes: ["read", "send", "approve"],
  via: "http",
  grant,
  ...more,
});

describe("a request", () => {
  test("has what both the worker and the object give, until the grant ends", () => {
    const until = { ...ALICE, expires: "2026-11-22T00:00:00Z" };
    const callers = new Callers(peopleOf(until));
    const ends = Date.UTC(2026, 10, 22);
    expect(callers.ofRequest(actor(), AT)).toEqual(actor({ scopes: ["read", "send"], expiresAt: ends }));
    expect(callers.ofRequest(actor({ scopes: ["read"] }), AT)?.scopes).toEqual(["read"]);
    expect(callers.ofRequest(actor(), ends - 1)).not.toBeNull();
    expect(callers.ofRequest(actor(), ends)).toBeNull();
    expect(callers.ofRequest(actor({ subject: "bob" }), AT)).toBeNull();
  });

  test("of a grant that only the worker knows has what the worker says, unless the worker is older", () => {
    const unknown = actor({ grant: "of-a-later-version" });
    const of = (own: number | null, version?: number) =>
      new Callers(peopleOf(ALICE), own).ofRequest(
        version === undefined ? unknown : { ...unknown, version },
        AT,
      );
    expect(of(null)?.scopes).toEqual(unknown.scopes);
    expect(of(null, AT)?.scopes).toEqual(unknown.scopes);
    expect(of(AT)?.scopes).toEqual(unknown.scopes);
    expect(of(AT, AT)?.scopes).toEqual(unknown.scopes);
    expect(of(AT, AT + 1)?.scopes).toEqual(unknown.scopes);
    expect(of(AT, AT - 1)).toBeNull();
  });

  test("without a grant is let in as it came, and anonymously only where that is allowed", () => {
    const { grant: _, ...bare } = actor({ subject: "anonymous" });
    expect(new Callers(peopleOf(ALICE)).ofRequest(bare, AT)).toBeNull();
    const open = new Callers(peopleOf(ALICE, { ALLOW_ANONYMOUS: "true" }));
    expect(open.ofRequest(bare, AT)).toEqual(bare);
    const child = { ...bare, subject: "alice" };
    expect(new Callers(peopleOf(ALICE)).ofRequest(child, AT)).toEqual(child);
  });

  test("where nobody's rights end has what it came with, until its own time", () => {
    const callers = new Callers(null);
    expect(callers.ofRequest(actor({ expiresAt: AT + 1 }), AT)?.scopes).toEqual(actor().scopes);
    expect(callers.ofRequest(actor({ expiresAt: AT }), AT)).toBeNull();
  });
});

describe("a connection", () => {
  const caller = { subject: "alice", scopes: ["read", "approve"], grant } as const;

  test("has the rights of its grant now, and none when the grant has ended", () => {
    const callers = new Callers(peopleOf(ALICE));
    expect(callers.ofConnection(caller, null, AT)).toEqual({ scopes: ["read"] });
    const over = new Callers(peopleOf({ ...ALICE, expires: "2026-11-20T00:00:00Z" }));
    expect(over.ofConnection(caller, null, AT)).toBeNull();
  });

  test("of a grant that was unknown when it was opened holds as long as the list of grants is the same", () => {
    const callers = new Callers(peopleOf(ALICE));
    const stranger = { ...caller, grant: "of-a-later-version" };
    expect(callers.knows(caller)).toBe(true);
    expect(callers.knows(stranger)).toBe(false);
    expect(callers.ofConnection(stranger, callers.edition, AT)).toEqual({ scopes: caller.scopes });
    expect(callers.ofConnection(stranger, null, AT)).toBeNull();
    const next = new Callers(peopleOf(null));
    expect(next.edition).not.toBe(callers.edition);
    expect(next.ofConnection(stranger, callers.edition, AT)).toBeNull();
    // The old list knew this caller, so matching editions cannot help it.
    expect(next.ofConnection(caller, null, AT)).toBeNull();
  });

  test("ends at the time that was stored with it", () => {
    const callers = new Callers(null);
    expect(callers.ofConnection({ ...caller, expiresAt: AT + 1 }, null, AT)).toEqual({
      scopes: caller.scopes,
      expiresAt: AT + 1,
    });
    expect(callers.ofConnection({ ...caller, expiresAt: AT }, null, AT)).toBeNull();
  });
});
