import { FileSystemConfigLoader, formatterFactory, HtmlValidate } from "html-validate";
import { expect, test } from "vitest";
import { useServer } from "./clients/server.ts";

/** Every page of the sample site, every template and the drafts before a validator of HTML. */

const server = useServer(() => ["PREVIEW_SECRET:sixteen bytes or more"]);

/** Checks of the HTML standard and of assistive technology. */
const validator = new HtmlValidate(
  new FileSystemConfigLoader({
    root: true,
    extends: ["html-validate:standard", "html-validate:a11y"],
    // A list without bullets is none to VoiceOver unless it says that it is one.
    rules: { "no-redundant-role": "off" },
  }),
);
const explain = formatterFactory("text");

/** Faults of the page at this path, one per line, and the paths that it links to. */
async function look(path: string): Promise<{ readonly faults: string; readonly links: readonly string[] }> {
  const response = await fetch(server.url + path);
  if (!(response.headers.get("content-type") ?? "").startsWith("text/html")) {
    await response.body?.cancel();
    return { faults: "", links: [] };
  }
  const html = await response.text();
  const report = await validator.validateString(html, path);
  const links = [...html.matchAll(/<a\s[^>]*?href="(\/[^"#]*)/g)].map((one) =>
    (one[1] ?? "").replaceAll("&amp;", "&"),
  );
  return { faults: explain(report.results), links };
}

/** The faults of all pages that can be reached from these, and how many pages that are. */
async function crawl(...from: readonly string[]): Promise<{ faults: string; pages: number }> {
  const seen = new Set(from);
  let faults = "";
  for (const path of seen) {
    const page = await look(path);
    faults += page.faults;
    for (const link of page.links) seen.add(link);
  }
  return { faults, pages: seen.size };
}

const pictures = ["im_compass", "im_contours", "im_ridge", "im_shelter"];
const button = { ctaText: "Walk & see", ctaLink: "collection:blog#top" };
/** Something of all that markdown has, also what it must not become. */
const TEXT = `### Hearts &hearts; <b>not bold</b> "x" < y & z

1. one[^1]
3. two
   - [x] done
   - [ ] open

| left | right |
|:-----|------:|
| \`a\` | ~~b~~ |

![A hill](https://example.com/hill.jpg "Hill") and [a link](/about "About")

> quoted\\
> lines

[^1]: A note.

    code <script>alert(1)</script>

***

<div onclick="x">html</div> https://example.com/?a=1&b=2 and <mailto:a@example.com>`;

const section = (template: string, content: object, variant = "default"): object => ({
  template,
  variant,
  content,
});
const EVERYTHING = [
  section("hero", { title: "Every template", subtitle: "On one page", image: "im_ridge", ...button }),
  section("hero", { title: "A second hero", image: "im_valley" }, "centered"),
  ...["default", "list"].map((variant) =>
    section(
      "feature",
      {
        heading: "Points",
        description: TEXT,
        items: [{ title: "One", description: "First", icon: "im_compass" }, { title: "Two" }],
      },
      variant,
    ),
  ),
  section("feature", { heading: "Nothing but a heading" }),
  ...["default", "banner"].map((variant) =>
    section(
      "cta",
      {
        heading: "Go",
        description: TEXT,
        buttonText: "Go",
        buttonLink: "https://example.com/?a=1&b=2",
        backgroundImage: "im_valley",
      },
      variant,
    ),
  ),
  ...["grid", "masonry", "carousel"].map((layout) =>
    section("gallery", { title: `As ${layout}`, images: pictures, layout }),
  ),
  section("gallery", { images: pictures.slice(0, 1) }),
  ...["image-right", "image-left"].map((layout) =>
    section("image-text", { heading: layout, content: TEXT, image: "im_shelter", layout, ...button }),
  ),
];

test("the pages that visitors see, in both languages, and the one that is not there, hold no fault", async () => {
  const { faults, pages } = await crawl("/site/", "/site/de/", "/site/nothing", "/site/de/nothing");
  expect(faults).toBe("");
  expect(pages).toBeGreaterThan(12);
});

test("a page of every template with all its fields, and every draft, hold no fault in the preview", async () => {
  const call = `/call page_create ${JSON.stringify({ name: "Everything", sections: EVERYTHING })}`;
  const said = await fetch(`${server.url}/api/sessions/everything/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text: `${call}\n/then\n/say Made.` }),
  });
  expect(await said.text()).toContain('"ok":true');
  const link = await fetch(`${server.url}/api/cms/preview-link?type=site`);
  const { url } = (await link.json()) as { url: string };
  const { pathname, search } = new URL(url);
  const everything = await (await fetch(`${server.url}/site/everything${search}`)).text();
  expect(everything.match(/<section[^>]* id="s-/g)?.length).toBe(EVERYTHING.length);
  const { faults, pages } = await crawl(
    pathname + search,
    `/site/everything${search}`,
    `/site/de/everything${search}`,
    `/site/blog/winter-routes${search}`,
  );
  expect(faults).toBe("");
  expect(pages).toBeGreaterThan(12);
});
