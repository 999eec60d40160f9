import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { SCHEDULE_EVERY_MS_MIN, SCHEDULES_MAX } from "../../src/core/limits.ts";
import { ANSWERS } from "../../src/wire/api.ts";
import { WEBHOOK_EVENTS } from "../../src/wire/config/webhook-config.ts";
import { parseExamples } from "../e2e/clients/pages.ts";
import { ROOT, readTree } from "../house/source-tree.ts";

/** What the pages of the documentation list beside frames, codes, limits and variables (protocol-doc and readme.test.ts). */

const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "docs/protocol.md",
  "docs/deploy.md",
  "docs/decisions.md",
  "docs/benchmark.md",
];
const protocol = read("docs/protocol.md");

/** `GET /api/sessions/:` of every route, as the doors mount them; names of parameters are of no matter. */
function mounted(): string[] {
  const routes: string[] = [];
  for (const { path: file } of readTree("src").filter((each) => each.path.startsWith("src/http/"))) {
    const source = read(file);
    const names = new Map(
      Array.from(source.matchAll(/const (\w+) = "(\/[^"]+)";/g), ([, name = "", value = ""]) => [
        name,
        value,
      ]),
    );
    for (const [, at = "", body = ""] of source.matchAll(
      /^ {2}route\(app, ([^,]+), \{\n([\s\S]*?)^ {2}\}\);/gm,
    )) {
      const where = at.replaceAll(/[`"]/g, "").replaceAll(/\$\{(\w+)\}|^(\w+)$/g, (_, one, two) => {
        const known = names.get(one ?? two);
        if (known === undefined) throw new Error(`${file} mounts ${at}`);
        return known;
      });
      for (const [, method = ""] of body.matchAll(/^ {4}(GET|POST|PATCH|PUT|DELETE): \{/gm))
        routes.push(`${method} ${where.replaceAll(/:\w+/g, ":")}`);
    }
  }
  return routes;
}

describe("docs/protocol.md", () => {
  test("names every route that there is, and no other", () => {
    const routes = mounted();
    expect(routes.length).toBeGreaterThan(30);
    const named = Array.from(
      protocol.matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/(?:api|agents|a|hooks)[^\s`?]*)/g),
      ([, method = "", where = ""]) => `${method} ${where.replaceAll(/:\w+/g, ":")}`,
    );
    expect(routes.filter((route) => !named.includes(route))).toEqual([]);
    const elsewhere = [
      "GET /api/openapi.json",
      "GET /a/:",
      "POST /a/:",
      "POST /hooks/NAME",
      "GET /agents/session/:/get-messages",
    ];
    expect(
      [...new Set(named)].filter((route) => !routes.includes(route) && !elsewhere.includes(route)),
    ).toEqual([]);
  });

  test("names every event that is told by webhook, and no other", () => {
    const listed = Array.from(
      protocol.matchAll(/^\| `((?:run|approval)\.[a-z]+)`/gm),
      ([, name = ""]) => name,
    );
    expect(listed.toSorted()).toEqual([...WEBHOOK_EVENTS].toSorted());
  });

  test("has the fields of the answers that it spells out", () => {
    const spelled = (name: string): string[] => {
      const [, fields = ""] = new RegExp(`A \\*\\*${name}\\*\\* is \`\\{([^}]*)\\}\``).exec(protocol) ?? [];
      return fields.split(/,\s+/).toSorted();
    };
    for (const name of ["Session", "Schedule"] as const)
      expect(spelled(name)).toEqual(Object.keys(ANSWERS[name].shape).toSorted());
  });

  test("has the numbers of schedules", () => {
    expect(protocol).toContain(`A session has at most ${SCHEDULES_MAX}.`);
    expect(protocol).toContain(`milliseconds, at least ${SCHEDULE_EVERY_MS_MIN},`);
  });
});

describe("the examples", () => {
  test.each(["README.md", "docs/protocol.md"])("of %s promise what has a name", (page) => {
    const promised = parseExamples(read(page)).flatMap((example) => example.promised ?? []);
    expect(promised.length).toBeGreaterThan(15);
    const known = (shape: string): boolean =>
      ["stream", "nothing"].includes(shape) ||
      /^\{\w+(, \w+)*\}$/.test(shape) ||
      /^Error [a-z_]+$/.test(shape) ||
      Object.hasOwn(ANSWERS, shape);
    expect(promised.filter(({ shape }) => !known(shape))).toEqual([]);
  });
});

test("docs/protocol.md has no command but the start of a server and what test/e2e/pages.test.ts types into a shell", () => {
  const others = parseExamples(protocol).filter(({ command }) => !/^([A-Z]+=\$\()?curl /.test(command));
  expect(others.map(({ command }) => command.split(" --var ", 1)[0])).toEqual(["npm start --"]);
});

describe("the links", () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
  const anchorsOf = (file: string): string[] =>
    Array.from(read(file).matchAll(/^#{1,6} (.+)$/gm), ([, heading = ""]) => slug(heading));

  test.each(PAGES)("of %s lead to files and headings that there are", (page) => {
    const links = Array.from(
      read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g),
      ([, target = ""]) => target,
    );
    const broken = links.filter((link) => {
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});
