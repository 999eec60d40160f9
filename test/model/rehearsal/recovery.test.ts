import { describe, expect, it } from "vitest";
import { SIGNATURE } from "../../../src/model/rehearsal/answer.ts";
import { inShort, play } from "./run.ts";
import { FakeSite, TOOL_NAMES, type FakeError } from "./site.ts";

const ABOUT_US =
  "Create an About us page with a hero image and a feature section, publish it and add it to the navigation";
const DENIED: FakeError = {
  code: "denied",
  class: "policy",
  message: "alice said no: not before Monday",
  hint: "Do not try it again.",
};

describe("a taken name or slug", () => {
  it("is reported, and nothing is changed, when the page exists already", () => {
    const played = play(new FakeSite(), "Create a contact page, publish it and put it in the footer");
    expect(inShort(played)).toEqual(["site_overview", "image_search 10"].slice(0, played.calls.length));
    expect(played.text).toContain('There is already a page "Contact"');
    expect(played.text).toContain("Left out, because there is no such new page: publishing the page.");
  });

  it("is met with the free slug that the tool suggests when the name was given explicitly", () => {
    const site = new FakeSite().fail("page_create", {
      code: "slug_taken",
      message: "The slug huts is taken",
      suggestions: [{ label: "huts-2", value: "huts-2" }],
    });
    expect(inShort(play(site, "Create a page called Huts and publish it"))).toEqual([
      "site_overview",
      "image_search 10",
      "page_create Huts | hero",
      "page_create Huts | huts-2 | hero",
      "set_status published pg_2",
    ]);
  });

  it("is reported when the name was only mentioned", () => {
    const site = new FakeSite().fail("page_create", {
      code: "slug_taken",
      message: "The slug huts is taken by an old page",
    });
    const played = play(site, "Create a huts page and publish it");
    expect(inShort(played).at(-1)).toBe("page_create Huts | hero");
    expect(played.text).toContain('I did not create "Huts": The slug huts is taken by an old page');
  });

  it("does not stop a second page of the name when another one is asked for", () => {
    const played = play(new FakeSite(), "Create another page called Contact");
    expect(inShort(played).slice(-2)).toEqual([
      "page_create Contact | hero+cta",
      "page_create Contact | contact-2 | hero+cta",
    ]);
  });

  it("is replaced when it is a reserved word", () => {
    expect(inShort(play(new FakeSite(), "Create a page called Media")).at(-1)).toBe(
      "page_create Media | media-page | hero",
    );
  });

  it("gives way to the suggested slug when a slug is changed", () => {
    const played = play(new FakeSite(), "Change the slug of the contact page to about");
    expect(inShort(played).slice(-2)).toEqual([
      "page_update pg_contact about",
      "page_update pg_contact about-2",
    ]);
    expect(played.text).toContain("The slug about is taken, so I took about-2.");
  });
});

describe("a thing that is not there", () => {
  it("is looked up again by its name when it has another id now", () => {
    const played = play(new FakeSite(), "Hide the gallery on the about page", {
      memory: ['- page pg_old "About" slug=about focus'],
    });
    expect(inShort(played)).toEqual([
      "page_get pg_old",
      "site_overview",
      "page_get pg_about",
      "section_update sc_about_2 true",
    ]);
  });

  it("is searched for, then told with the pages that there are", () => {
    const played = play(new FakeSite(), "Publish the xyzzy page");
    expect(inShort(played)).toEqual(["site_overview", 'find xyzzy ["page"]']);
    expect(played.text).toContain(
      'I could not find a page called "xyzzy". The pages are "Home", "About", "Contact".',
    );
  });

  it("is found in spite of a slip of the pen", () => {
    expect(inShort(play(new FakeSite(), "Unpublish the abuot page")).at(-1)).toBe(
      "set_status unpublished pg_about",
    );
  });

  it("is a section that the page has not: its sections are told", () => {
    const played = play(new FakeSite(), "Delete the gallery on the contact page");
    expect(played.text).toContain(
      'I could not find a gallery section on "Contact". Its sections are: 1. hero "Say hello", 2. cta "Write to us".',
    );
  });
});

describe("content that the CMS refuses", () => {
  it("loses the section whose template is unknown", () => {
    const site = new FakeSite().fail("page_create", {
      code: "unknown_template",
      class: "invalid_args",
      at: "sections[1].template",
      message: "There is no template gallery",
    });
    const played = play(site, "Create a page called Huts with a hero and a gallery");
    expect(inShort(played).slice(-2)).toEqual(["page_create Huts | hero+gallery", "page_create Huts | hero"]);
    expect(played.text).toContain("I could not add a gallery section, because There is no template gallery.");
  });

  it("is fitted to the fields of the template", () => {
    const site = new FakeSite();
    const refusal: FakeError = {
      code: "unknown_field",
      class: "invalid_args",
      at: "sections[0].content.subtitle",
      message: "hero has no field subtitle",
    };
    site.fail("page_create", refusal);
    const answer = site.answer.bind(site);
    site.answer = (tool, input) =>
      tool === "schema_list"
        ? answer(tool, input).replace('{"key":"subtitle","label":"subtitle","type":"text"},', "")
        : answer(tool, input);
    const played = play(site, "Create a page called Huts with a hero");
    expect(inShort(played).slice(-3)).toEqual([
      "page_create Huts | hero",
      "schema_list section hero",
      "page_create Huts | hero",
    ]);
    expect(played.calls.at(-1)?.input).toMatchObject({
      sections: [{ content: { title: "Huts", image: "im_ridge" } }],
    });
    expect(JSON.stringify(played.calls.at(-1)?.input["sections"])).not.toContain("subtitle");
  });
});

describe("a change in the meantime", () => {
  it.each(["version_conflict", "approval_stale", "state_conflict", "conflict"])(
    "(%s) is looked at, and the same is proposed once more",
    (code) => {
      const site = new FakeSite().fail("section_update", { code, message: "Someone else changed it" });
      expect(inShort(play(site, 'Change the subtitle of the hero on the home page to "Up"'))).toEqual([
        "site_overview",
        "page_get pg_home full",
        'section_update sc_home_0 {"subtitle":"Up"}',
        "page_get pg_home full",
        'section_update sc_home_0 {"subtitle":"Up"}',
      ]);
    },
  );

  it("is told when it happens again", () => {
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

  it("is mended where alternative text is missing, then asked for again", () => {
    const site = new FakeSite().fail("set_status", blocked("alt_missing", "image"));
    site.addPage("Team", "team").sections[0]!.content["image"] = { image: "im_ridge" };
    const played = play(site, "Publish the team page");
    expect(inShort(played).slice(2)).toEqual([
      "page_get pg_team full",
      expect.stringMatching(/^image_attach im_ridge \{"type":"section","ref":"sc_team_0"\} image .*Team/u),
      "set_status published pg_team",
    ]);
    expect(played.text).toContain('"Team" is published');
  });

  it("is mended where a required field is empty", () => {
    const site = new FakeSite().fail("set_status", blocked("missing_required", "title"));
    site.addPage("Team", "team");
    expect(inShort(play(site, "Publish the team page")).slice(2)).toEqual([
      "page_get pg_team full",
      "schema_list section hero",
      'section_update sc_team_0 {"title":"Team"}',
      "set_status published pg_team",
    ]);
  });

  it("is told when it cannot be mended, and the page gets no navigation entry", () => {
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
  it("to publishing ends that wish and the navigation entry, and the answer gives the reason", () => {
    const played = play(new FakeSite().fail("set_status", DENIED), ABOUT_US);
    expect(inShort(played)).toEqual([
      "site_overview",
      "image_search 10",
      "page_create About us | hero+feature",
      "set_status published pg_3",
    ]);
    expect(played.text).toContain(
      'Not done: publishing "About us". It was not approved (alice said no: not before Monday), so I left it as it was.',
    );
    expect(played.text).toContain('"About us" is not in the navigation either');
    expect(played.text).not.toContain('"About us" is published');
  });

  it("to the navigation leaves the page published", () => {
    const played = play(new FakeSite().fail("nav_edit", DENIED), ABOUT_US);
    expect(played.text).toContain('"About us" is published');
    expect(played.text).toContain('Not done: adding "About us" to the navigation.');
  });

  it("to one deletion does not stop the other wishes", () => {
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
    expect(played.text).toContain('Not done: deleting "Contact".');
  });

  it("to creating the page leaves out everything that needs it", () => {
    const played = play(new FakeSite().fail("page_create", DENIED), ABOUT_US);
    expect(inShort(played).at(-1)).toBe("page_create About us | hero+feature");
    expect(played.text).toContain("Left out, because there is no such new page: publishing the page.");
  });

  it("counts the same when nobody decided in time", () => {
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

describe("an unknown outcome", () => {
  const unknown: FakeError = { code: "unknown_outcome", class: "internal", message: "It was interrupted" };

  it("of a creation is looked up, and the page that was made after all is used", () => {
    const site = new FakeSite();
    const answer = site.answer.bind(site);
    site.answer = (tool, input) => {
      const real = answer(tool, input);
      return tool === "page_create" ? JSON.stringify({ ok: false, error: unknown }) : real;
    };
    expect(inShort(play(site, "Create a page called Huts and publish it"))).toEqual([
      "site_overview",
      "image_search 10",
      "page_create Huts | hero",
      "site_overview",
      "set_status published pg_2",
    ]);
  });

  it("of publishing is looked up, and told when it did not happen", () => {
    const site = new FakeSite().fail("set_status", unknown);
    site.addPage("Team", "team");
    const played = play(site, "Publish the team page");
    expect(inShort(played)).toEqual(["site_overview", "set_status published pg_team", "page_get pg_team"]);
    expect(played.text).toContain("I do not know whether I could publish");
  });
});

describe("tools that are missing", () => {
  it("are named politely, and the rest is done", () => {
    const played = play(new FakeSite(), "Create a page called Huts and publish it", {
      tools: TOOL_NAMES.filter((name) => name !== "set_status"),
    });
    expect(inShort(played)).toEqual(["site_overview", "image_search 10", "page_create Huts | hero"]);
    expect(played.text).toContain(
      'I cannot publish "Huts" here, because the tool set_status is not available here.',
    );
  });

  it("are replaced where another one knows as well", () => {
    const played = play(new FakeSite(), "Publish the about page", {
      tools: TOOL_NAMES.filter((name) => name !== "site_overview"),
    });
    expect(inShort(played)).toEqual(["page_list", "page_get pg_about"]);
  });

  it("all of them: the answer says that nothing was done", () => {
    const played = play(new FakeSite(), ABOUT_US, { tools: [] });
    expect(played.calls).toEqual([]);
    expect(played.text).toContain(
      'Not done, because no tools are offered: creating the page "About us"; publishing the page; adding the page to the navigation.',
    );
  });
});

describe("the forced answer", () => {
  it.each([
    [1, [], ['creating the page "About us"', "publishing", "navigation"]],
    [2, ['The page "About us" is made'], ["publishing the page", "adding the page to the navigation"]],
    [3, ['"About us" is published'], ["adding the page to the navigation"]],
  ])("after %i steps says what is done and what is not", (stepsMax, done, open) => {
    const { text } = play(new FakeSite(), ABOUT_US, { stepsMax });
    for (const part of done) expect(text).toContain(part);
    for (const part of open)
      expect(text.slice(text.indexOf("Not done, because the run had to end first"))).toContain(part);
    expect(text.endsWith(SIGNATURE)).toBe(true);
  });
});

describe("whatever fails, whenever", () => {
  const wishes = [
    ABOUT_US,
    "Publish the team page and add it to the footer",
    "On the about page, move the hero to the end, hide the gallery and delete the second section",
    "Add a gallery and a cta to the about page",
    "Change the hero image of the about page to the valley",
    'Rename the contact page to "Reach us" and change its slug to reach-us',
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

  it.each(wishes)("the run ends with an answer and never repeats a failed call at once: %s", (wish) => {
    const usual = new FakeSite();
    usual.addPage("Team", "team");
    for (const tool of new Set(play(usual, wish).calls.map((call) => call.name))) {
      for (const code of codes) {
        const site = new FakeSite().fail(tool, { code }, { code }, { code });
        site.addPage("Team", "team");
        const { calls, text } = play(site, wish);
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
