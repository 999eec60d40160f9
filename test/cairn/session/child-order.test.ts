import { describe, expect, test } from "vitest";
import { CHILDREN_PER_RUN_MAX, CHILD_DEPTH_MAX, CHILD_POLL_MS } from "../../../src/cairn/core/limits.ts";
import { PLAIN_SPEC } from "../../../src/cairn/core/log/run-spec.ts";
import type { SendMessage } from "../../../src/cairn/core/loop/receive.ts";
import type { ChildOrder } from "../../../src/cairn/session/engine/ports.ts";
import { of } from "../../sim/family/attempts.ts";
import {
  ADA,
  call,
  calls,
  FIRST,
  GRANDCHILD,
  hands,
  LARGE,
  LONG,
  ROOT,
  says,
  type Parts,
} from "../../sim/family/scripts.ts";
import { asks, childOf } from "../../sim/family/scripts.ts";
import type { FakePlatform } from "../../sim/platform/platform.ts";
import { World, type TreeDeed } from "../../sim/family/world.ts";

/** The order that crosses to a child: the rights, the history and the share of the run that starts it. */

class Heard extends World {
  readonly orders: ChildOrder[] = [];
  readonly owners: string[] = [];

  override reach(from: FakePlatform, to: string): ReturnType<World["reach"]> {
    const api = super.reach(from, to);
    return {
      ...api,
      startChild: (actor, order, owner) => {
        this.orders.push(order);
        this.owners.push(owner);
        return api.startChild(actor, order, owner);
      },
    };
  }
}

async function play(parts: Parts, deeds: readonly TreeDeed[], prepare?: (platform: FakePlatform) => void) {
  const world = new Heard(
    { name: "orders", says: says(parts), deeds, ...(prepare === undefined ? {} : { prepare }) },
    new Map(),
    "all",
  );
  await world.play();
  return world;
}

const HANDS = calls(hands("Look at a."));
/** Someone other than the owner asks for a run with all that a request can bring. */
const asked = (more: Partial<SendMessage>): TreeDeed => ({
  when: "rest",
  act: (world) =>
    world.ask(ROOT, (platform) => {
      platform.service.admitOrCreate(ADA);
      return platform.say("Do it.", {
        author: "bob",
        spec: { ...PLAIN_SPEC, ...platform.agent().spec },
        ...more,
      });
    }),
});

describe("an order says", () => {
  test("whose session it is, who asked, and all that holds for the request", async () => {
    const request = {
      approvers: ["carol"],
      origin: { channel: "telegram", place: "7" },
      askedAt: 1_650_000_000_000,
      imported: true,
      role: "member",
      temperature: 0.4,
      source: "schedule",
    } as const;
    const { orders, owners, session } = await play({ [ROOT]: [HANDS] }, [asked(request)]).then((world) => ({
      orders: world.orders,
      owners: world.owners,
      session: world.session(ROOT),
    }));
    const createdAt = session.store.loadMeta()?.createdAt;
    expect(createdAt).toBeGreaterThan(0);
    expect(owners).toEqual(["ada"]);
    expect(orders).toEqual([
      expect.objectContaining({
        child: FIRST,
        key: `${ROOT}@${createdAt}/r1s1c0`,
        parent: {
          session: ROOT,
          createdAt,
          run: "r1",
          call: "r1s1c0",
          depth: 1,
          root: ROOT,
          sessions: orders[0]?.share.sessions,
          // The request was imported and comes from a schedule, so the child begins tainted.
          tainted: true,
        },
        from: expect.objectContaining({ request: { actor: "bob", ...request } }) as unknown,
      }),
    ]);
  });

  test("nothing of what a request has not", async () => {
    const { orders } = await play({ [ROOT]: [HANDS] }, [asked({})]);
    expect(orders[0]?.from.request).toEqual({
      actor: "bob",
      source: "api",
      role: "member",
      temperature: null,
    });
    expect(orders[0]?.parent).not.toHaveProperty("tainted");
    expect(orders[0]?.parent).not.toHaveProperty("private");
  });

  test("what the run has read: text from outside, and what is not public", async () => {
    const reads = (tool: string) => play({ [ROOT]: [call(tool, "a"), HANDS] }, [asks("m1")]);
    const seen = await Promise.all(["look", "visit"].map(reads));
    expect(seen.map(({ orders }) => [orders[0]?.parent.tainted, orders[0]?.parent.private])).toEqual([
      [undefined, true],
      [true, undefined],
    ]);
    const world = await play({ [ROOT]: [HANDS] }, [
      asked({
        parts: [
          { type: "text", text: "Look." },
          {
            type: "file",
            url: "https://a.example/x.pdf",
            mediaType: "application/pdf",
            name: "x.pdf",
          } as never,
        ],
      }),
    ]);
    expect(world.orders[0]?.parent).toMatchObject({ tainted: true, private: true });
  });

  test("how deep it stands, and the deepest starts none", async () => {
    const great = childOf(GRANDCHILD, "r1s1c0");
    const world = await play(
      {
        [ROOT]: [calls(hands(LARGE))],
        [FIRST]: [calls(hands(LARGE))],
        [GRANDCHILD]: [calls(hands(LARGE))],
        [great]: [HANDS],
      },
      [asks("m1", LONG)],
    );
    expect(world.orders.map(({ parent }) => [parent.session, parent.depth, parent.root])).toEqual([
      [ROOT, 1, ROOT],
      [FIRST, 2, ROOT],
      [GRANDCHILD, 3, ROOT],
    ]);
    expect(CHILD_DEPTH_MAX).toBe(3);
    expect(of(world, great, "call_settled").map(({ body }) => body.status)).not.toContain("ok");
    for (const { parent, share } of world.orders) expect(parent.sessions).toBe(share.sessions);
    expect(world.orders.map(({ share }) => share.sessions)).toEqual(
      world.orders.map(({ share }) => share.sessions).toSorted((a, b) => b - a),
    );
    expect(world.orders[2]?.share.sessions).toBe(0);
  });
});

test("a call defers to its child, which is asked after a minute, and tells at once where nobody waits", async () => {
  const world = await play({ [ROOT]: [calls(hands(`Look ${"x".repeat(300)}`, { wait: false }))] }, [
    asks("m1"),
  ]);
  const [deferred] = of(world, ROOT, "call_deferred");
  expect(deferred?.body).toEqual({
    call: "r1s1c0",
    tool: "run_agent",
    child: FIRST,
    wait: false,
    pollAt: (deferred?.at ?? 0) + CHILD_POLL_MS,
  });
  const [settled] = of(world, ROOT, "call_settled");
  expect(settled?.body.status).toBe("ok");
  expect(settled?.body.observation).toBe(
    JSON.stringify({ ok: true, child: FIRST, started: true, objective: `Look ${"x".repeat(195)}` }),
  );
});

test("a later run of a child's own session starts nobody", async () => {
  const world = await play({ [ROOT]: [HANDS], [FIRST]: [] }, [
    asks("m1"),
    {
      when: "rest",
      act: (world) =>
        world.ask(FIRST, (platform) => {
          platform.script = (request) => (request.tools.length > 0 ? HANDS : { text: "No." });
          return platform.say("More.", { spec: { ...PLAIN_SPEC, ...platform.agent().spec } });
        }),
    },
  ]);
  expect(world.orders.map(({ parent }) => parent.session)).toEqual([ROOT]);
  const codes = of(world, FIRST, "call_settled").flatMap(({ body }) => body.failure?.code ?? []);
  expect(codes).toContain("not_available");
});

test("a run starts so many others and no more", async () => {
  const many = calls(...Array.from({ length: CHILDREN_PER_RUN_MAX + 1 }, (_, n) => hands(`Look at ${n}.`)));
  const world = await play({ [ROOT]: [many] }, [asks("m1", { profile: "research", citations: "off" })]);
  expect(new Set(world.orders.map(({ child }) => child)).size).toBe(CHILDREN_PER_RUN_MAX);
  const codes = of(world, ROOT, "call_settled").flatMap(({ body }) => body.failure?.code ?? []);
  expect(codes).toContain("too_many_children");
});
