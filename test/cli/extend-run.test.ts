import { describe, expect, test } from "vitest";
import { parseCommand } from "../../src/cli/chat/screen/commands.ts";
import { giveMore, parseMore } from "../../src/cli/chat/extend-run.ts";
import { sessionRequests } from "../../src/cli/chat/session-request.ts";

describe("/more", () => {
  test.each([
    ["/more", { unit: "steps", amount: 5 }],
    ["/more 10 ", { unit: "steps", amount: 10 }],
    ["/more 1 step", { unit: "steps", amount: 1 }],
    ["/more 20 minutes", { unit: "minutes", amount: 20 }],
    ["/more 50000 tokens", { unit: "tokens", amount: 50_000 }],
    ["/more 2.50 USD", { unit: "costUsd", amount: 2.5 }],
  ])("%j is read", (line, more) => {
    expect([parseCommand(line)?.word, parseMore(line)]).toEqual(["more", more]);
  });

  test.each(["/more please", "/more 0", "/more -3", "/more 1.5 steps", "/more 5 pages", "/more 5 steps now"])(
    "%j is not understood",
    (line) => {
      expect([parseCommand(line)?.word, parseMore(line)]).toEqual(["more", null]);
    },
  );

  test("is no other word", () => {
    expect(["/moreover", "give me /more", "more"].map((line) => parseCommand(line)?.word)).toEqual([
      "unknown",
      undefined,
      undefined,
    ]);
  });
});

describe("what comes of it", () => {
  const door = { url: "http://127.0.0.1:8787", session: "demo", token: "t0ken" };
  const asked: Request[] = [];
  const answering =
    (answer: () => Response): typeof fetch =>
    async (input, init) => {
      asked.push(new Request(input instanceof Request ? input.url : input, init));
      return answer();
    };
  const give = (answer: () => Response): Promise<string> =>
    giveMore(sessionRequests(door, answering(answer)), "demo.r1", { unit: "minutes", amount: 20 });

  test("is asked of the session, with the run and the token, and told", async () => {
    expect(await give(() => Response.json({}))).toBe("The run has 20 minutes more.");
    const request = asked.at(-1);
    expect([request?.url, request?.method, request?.headers.get("authorization")]).toEqual([
      "http://127.0.0.1:8787/api/sessions/demo/extend",
      "POST",
      "Bearer t0ken",
    ]);
    expect(await request?.json()).toEqual({ runId: "demo.r1", minutes: 20 });
  });

  test("is told in the server's words when it is refused, and in plain ones when it says none", async () => {
    const error = { code: "extended_before", message: "It was given more before.", hint: "Once is all." };
    expect(await give(() => Response.json({ error }, { status: 409 }))).toBe(
      "Not given: It was given more before. Once is all.",
    );
    expect(await give(() => new Response("?", { status: 502 }))).toContain("answered 502");
    const gone = (): Response => {
      throw new TypeError("fetch failed");
    };
    expect(await give(gone)).toContain("cannot be reached");
  });
});
