import { describe, expect, it } from "vitest";
import { REHEARSAL_SIGNATURE as SIGNATURE } from "../../../src/plugins/rehearsal/answer-words.ts";
import { inShort, play } from "./run.ts";
import { FakeSite, TOOL_NAMES, type FakeError } from "./site.ts";

const ABOUT_US =
  "Create an About us page with a hero image and a feature section, publish it and add it to the navigation";
const DENIED: FakeError = {
  code: "denied",
  class: "policy",
  message: "alice declined: not before Monday",
  hint: "Do not try it again.",
};

describe("a taken name or slug", () => {
  it("is reported, and nothing is changed, when the page exists already", () => {
    const played = play(new FakeSite(), "Create a Contact page, publish it and put it in the footer");
    expect(inShort(played)).toEqual(["site_overview", "image_search 10"].slice(0, played.calls.length));
    expect(played.text).toContain('There is already a page "Contact"');
    expect(played.text).toContain('Left out, because there is no such page: "publish it"');
  });

  const refused = (...slugs: string[]): FakeSite =>
    new FakeSite().fail("page_create", {
      code: "slug_reserved",
      message: "The slug media is used by the site itself",
      suggestions: slugs.map((slug) => ({ label: slug, value: slug })),
    });

  it("is replaced by the one slug that the tool suggests, and that is said", () => {
    const played = play(refused("media-page"), "Create a page called Media");
    expect(inShort(played).at(-1)).toBe("page_create Media | media-page | hero");
    expect(played.text).toContain("The slug media is used by the site itself, so I took media-page.");
  });

  it("is reported, and not chosen, when the tool suggests several or none", () => {
    for (const site of [refused(), refused("media-2", "media-3")]) {
      const played = play(site, "Create a page called Media");
      expect(played.calls.filter((call) => call.name === "page_create")).toHaveLength(1);
      expect(played.text).toContain('I could not create the page "Media"');
    }
  });
});

describe("a thing that is not there", () => {
  it("is reported with the pages of the site", () => {
    const played = play(new FakeSite(), "Publish the xyzzy page");
    expect(inShort(played)).toEqual(["site_overview"]);
    expect(played.text).toContain(
      'I could not find a page called "xyzzy", so I changed nothing there. Which page do you mean? The pages are "Home", "About", "Contact".',
    );
  });

  it("is a section that the page does not have: the answer lists its sections", () => {
    const played = play(new FakeSite(), "Delete the gallery on the contact page");
    expect(played.text).toContain(
      'I could not find a gallery section on "Contact". Its sections are: 1. hero "Say hello", 2. cta "Write to us".',
    );
  });
});

describe("a change in the meantime", () => {
  it.each(["version_conflict", "approval_stale", "state_conflict", "conflict"])(
    "(%s) is looked at, and the same is proposed once more",
    (code) => {
      const site = new FakeSite().fail("section_update", { code, message: "Someone else changed it" });
      expect(inShort(play(site, 'Change the subtitle of the hero on the home page to "Up"'))).toEqual([
        "site_overview",
        "page_get pg_home",
        'section_update sc_home_0 {"subtitle":"Up"}',
        "page_get pg_home",
        'section_update sc_home_0 {"subtitle":"Up"}',
      ]);
    },
  );

  it("is reported when it happens again", () => {
    const site = new FakeSite().fail(
      "nav_edit",
      { code: "approval_stale" },
      { code: "approval_stale", message: "It changed again" },
    );
    const played = play(site, "Take Contact out of the menu");
    expect(inShort(played)).toEqual([
      "site_overview",
      "nav_edit remove nv_4; remove nv_6",
      "site_overview",
      "nav_edit remove nv_4; remove nv_6",
    ]);
    expect(played.text).toContain("I could not take");
  });
});

describe("publishing that is blocked", () => {
  const blocked = (code: string, field: string): FakeError => ({
    code: "publish_blocked",
    message: "It cannot be published yet",
    details: {
      blockers: [
        {
          code,
          owner: { type: "section", id: "sc_team_0", name: "Hero" },
          field,
          message: "The image has no alternative text.",
          fix: "Give it one.",
        },
      ],
    },
  });

  it("is reported, and the page gets no navigation entry", () => {
    const site = new FakeSite().fail("set_status", blocked("doc_too_large", "title"));
    site.addPage("Team", "team");
    const played = play(site, "Publish the team page and add it to the menu");
    expect(
      inShort(played).filter((call) => call.startsWith("set_status") || call.startsWith("nav_edit")),
    ).toEqual(["set_status published pg_team"]);
    expect(played.text).toContain('I could not publish "Team": The image has no alternative text.');
    expect(played.text).toContain("not in the navigation either");
  });
});

describe("a person's no", () => {
  it("to publishing ends that request and the navigation entry, and the answer gives the reason", () => {
    const played = play(new FakeSite().fail("set_status", DENIED), ABOUT_US);
    expect(inShort(played)).toEqual([
      "site_overview",
      "image_search 10",
      "page_create About us | hero+feature",
      "set_status published pg_3",
    ]);
    expect(played.text).toContain(
      'I did not publish "About us": it was not approved (alice declined: not before Monday), so I left it as it was.',
    );
    expect(played.text).toContain('"About us" is not in the navigation either');
    expect(played.text).not.toContain('"About us" is published');
  });

  it("to the navigation leaves the page published", () => {
    const played = play(new FakeSite().fail("nav_edit", DENIED), ABOUT_US);
    expect(played.text).toContain('"About us" is published');
    expect(played.text).toContain('I did not add "About us" to the header navigation');
  });

  it("to one deletion does not stop the other requests", () => {
    const played = play(
      new FakeSite().fail("page_delete", DENIED),
      "Delete the contact page and hide the gallery on the about page",
    );
    expect(inShort(played)).toEqual([
      "site_overview",
      'page_delete ["pg_contact"]',
      "page_get pg_about",
      "section_update sc_about_2 true",
    ]);
    expect(played.text).toContain('I did not delete "Contact"');
  });

  it("to creating the page leaves out everything that needs it", () => {
    const played = play(new FakeSite().fail("page_create", DENIED), ABOUT_US);
    expect(inShort(played).at(-1)).toBe("page_create About us | hero+feature");
    expect(played.text).toContain('Left out, because there is no such page: "publish it"');
  });

  it("means the same as a request that nobody decided in time", () => {
    const played = play(
      new FakeSite().fail("set_status", {
        ...DENIED,
        code: "approval_expired",
        message: "Nobody decided in time",
      }),
      ABOUT_US,
    );
    expect(played.calls.filter((call) => call.name === "set_status")).toHaveLength(1);
    expect(played.text).toContain("Nobody decided in time");
  });
});

it("a call with an unknown outcome is not repeated, and the answer says so", () => {
  const unknown: FakeError = { code: "unknown_outcome", class: "internal", message: "It was interrupted" };
  const site = new FakeSite().fail("set_status", unknown);
  site.addPage("Team", "team");
  const played = play(site, "Publish the team page");
  expect(inShort(played)).toEqual(["site_overview", "set_status published pg_team"]);
  expect(played.text).toContain('I do not know whether I could publish "Team".');
});

describe("tools that are missing", () => {
  it("are named, and the rest is done", () => {
    const played = play(new FakeSite(), "Create a page called Huts and publish it", {
      tools: TOOL_NAMES.filter((name) => name !== "set_status"),
    });
    expect(inShort(played)).toEqual(["site_overview", "image_search 10", "page_create Huts | hero"]);
    expect(played.text).toContain('I could not publish "Huts": the tool set_status is not available here.');
  });

  it("are replaced by another one where possible", () => {
    const played = play(new FakeSite(), "Publish the about page", {
      tools: TOOL_NAMES.filter((name) => name !== "site_overview"),
    });
    expect(inShort(played)).toEqual(["page_list", "page_get pg_about"]);
  });

  it("all of them: the answer says that nothing was done", () => {
    const played = play(new FakeSite(), ABOUT_US, { tools: [] });
    expect(played.calls).toEqual([]);
    expect(played.text).toContain(
      'Not done, because no tools are offered: "Create an About us page with a hero image and a feature section"; "publish it"; "add it to the navigation".',
    );
  });
});

describe("the forced answer", () => {
  it.each([
    [1, [], ["Create an About us page", "publish it", "navigation"]],
    [2, ['The page "About us" is made'], ["publish it", "add it to the navigation"]],
    [3, ['"About us" is published'], ["add it to the navigation"]],
  ])("after %i steps says what is done and what is not", (stepsMax, done, open) => {
    const { text } = play(new FakeSite(), ABOUT_US, { stepsMax });
    for (const part of done) expect(text).toContain(part);
    for (const part of open)
      expect(text.slice(text.indexOf("Not done, because the run had to end first"))).toContain(part);
    expect(text.endsWith(SIGNATURE)).toBe(true);
  });
});

describe("after any failure of any call", () => {
  const requests = [
    ABOUT_US,
    "Publish the team page and add it to the footer",
    "Add a gallery and a cta to the about page",
    'Change the heading of the about page to "The valley"',
    'Rename the contact page to "Reach us" and delete the gallery on the about page',
    "Delete about and contact",
  ];
  const codes = [
    "not_found",
    "slug_taken",
    "invalid_content",
    "unknown_field",
    "version_conflict",
    "publish_blocked",
    "denied",
    "unknown_outcome",
    "timeout",
    "internal",
    "limit_exceeded",
    "already_exists",
  ];

  it.each(requests)("the run ends with an answer and never repeats a failed call at once: %s", (request) => {
    const usual = new FakeSite();
    usual.addPage("Team", "team");
    for (const tool of new Set(play(usual, request).calls.map((call) => call.name))) {
      for (const code of codes) {
        const site = new FakeSite().fail(tool, { code }, { code }, { code });
        site.addPage("Team", "team");
        const { calls, text } = play(site, request);
        expect(text.endsWith(SIGNATURE)).toBe(true);
        const repeated = calls.filter((call, at) => {
          const before = calls[at - 1];
          return (
            before !== undefined &&
            !before.ok &&
            before.name === call.name &&
            JSON.stringify(before.input) === JSON.stringify(call.input)
          );
        });
        expect({ tool, code, repeated }).toEqual({ tool, code, repeated: [] });
        const denials = calls.filter((call) => call.name === tool && code === "denied" && !call.ok);
        expect(new Set(denials.map((call) => JSON.stringify(call.input))).size).toBe(denials.length);
        const failed = calls.some((call) => call.name === tool && !call.ok);
        expect(failed && !/not|could|unknown|cannot|left out/iu.test(text)).toBe(false);
      }
    }
  });
});
