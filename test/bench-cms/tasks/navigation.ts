import type { Json } from "../../../src/cairn/core/log/json.ts";
import type { Call, Difference, Task } from "../format.ts";
import { all, footer, header, newItem } from "./words.ts";

/** The navigation, which is public at once. */

type More = Partial<Omit<Task, "id" | "wish" | "gold" | "expected">>;
const task = (
  id: string,
  wish: string,
  gold: readonly Call[],
  expected: Difference,
  more: More = {},
): Task => ({
  id: `nav-${id}`,
  kind: "navigation",
  wish,
  gold,
  expected,
  ...more,
});
const edit = (...ops: readonly Json[]): Call => ["nav_edit", { ops }];

const removed = (
  [
    ["header", "Home", "nv_header_home", "About, Blog [Packing light], Contact"],
    ["header", "About", "nv_header_about", "Home, Blog [Packing light], Contact"],
    ["header", "Contact", "nv_header_contact", "Home, About, Blog [Packing light]"],
    ["header", "Packing light", "nv_header_packing_light", "Home, About, Blog, Contact"],
    ["footer", "About", "nv_footer_about", "Contact"],
    ["footer", "Contact", "nv_footer_contact", "About"],
  ] as const
).map(([place, label, item, left]) =>
  task(
    `remove-${place}-${label.toLowerCase().replace(" ", "-")}`,
    `Take ${label} out of the ${place}.`,
    [edit({ op: "remove", item })],
    all({ [`${place} item ${label}`]: "gone" }, place === "header" ? header(left) : footer(left)),
  ),
);

const relabelled = (
  [
    ["header", "About", "nv_header_about", "Our story", "Home, Our story, Blog [Packing light], Contact"],
    ["header", "Contact", "nv_header_contact", "Say hello", "Home, About, Blog [Packing light], Say hello"],
    ["header", "Blog", "nv_header_blog", "Journal", "Home, About, Journal [Packing light], Contact"],
    ["footer", "About", "nv_footer_about", "Who we are", "Who we are, Contact"],
  ] as const
).map(([place, label, item, to, now]) =>
  task(
    `relabel-${place}-${label.toLowerCase()}`,
    `${label} in the ${place} should be called “${to}”.`,
    [edit({ op: "update", item, label: to })],
    all({ [`${place} item ${label}`]: { label: to } }, place === "header" ? header(now) : footer(now)),
  ),
);

const others: readonly Task[] = [
  task(
    "add-home",
    "The footer needs a link to the home page.",
    [edit({ op: "add", location: "footer", label: "Home", target: "page:home" })],
    all(newItem("footer", "Home", "page home"), footer("About, Contact, Home")),
  ),
  task(
    "add-first",
    "Put Contact at the very beginning of the footer, before About.",
    [edit({ op: "move", item: "nv_footer_contact", position: 1 })],
    footer("Contact, About"),
  ),
  task(
    "add-url",
    "Link our weather service, https://weather.example, in the footer as “Weather”.",
    [edit({ op: "add", location: "footer", label: "Weather", target: "https://weather.example" })],
    all(newItem("footer", "Weather", "https://weather.example"), footer("About, Contact, Weather")),
  ),
  task(
    "add-post",
    "Link the post about the weather below Blog in the header.",
    [
      edit({
        op: "add",
        location: "header",
        label: "Reading the weather",
        parent: "nv_header_blog",
        target: "entry:reading-the-weather",
      }),
    ],
    all(
      newItem("header", "Reading the weather", "post reading-the-weather"),
      header("Home, About, Blog [Packing light, Reading the weather], Contact"),
    ),
  ),
  task(
    "add-draft",
    "Link the draft post about winter routes in the footer, so that it is there when it is published.",
    [edit({ op: "add", location: "footer", label: "Winter routes", target: "entry:winter-routes" })],
    all(
      newItem("footer", "Winter routes", "post winter-routes"),
      footer("About, Contact, Winter routes", null),
    ),
  ),
  task(
    "move",
    "In the header, put Contact between Home and About.",
    [edit({ op: "move", item: "nv_header_contact", position: { after: "nv_header_home" } })],
    header("Home, Contact, About, Blog [Packing light]"),
  ),
  task(
    "nest",
    "In the header, About belongs below Contact.",
    [edit({ op: "move", item: "nv_header_about", parent: "nv_header_contact" })],
    header("Home, Blog [Packing light], Contact [About]"),
  ),
  task(
    "lift",
    "Packing light should stand in the header by itself, at the end.",
    [edit({ op: "move", item: "nv_header_packing_light", parent: null })],
    header("Home, About, Blog, Contact, Packing light"),
  ),
  task(
    "across",
    "Move the blog with all below it from the header to the footer.",
    [edit({ op: "move", item: "nv_header_blog", location: "footer" })],
    all(header("Home, About, Contact"), footer("About, Contact, Blog [Packing light]")),
  ),
  task(
    "hide",
    "Hide Blog in the header for now.",
    [edit({ op: "update", item: "nv_header_blog", visible: false })],
    all(
      { "header item Blog": { visible: false } },
      header("Home, About, (Blog) [Packing light], Contact", "Home, About, Contact"),
    ),
  ),
  task(
    "show",
    "Show Blog in the header again.",
    [edit({ op: "update", item: "nv_header_blog", visible: true })],
    all({ "header item Blog": { visible: true } }, header("Home, About, Blog [Packing light], Contact")),
    { start: [edit({ op: "update", item: "nv_header_blog", visible: false })] },
  ),
  task(
    "retarget",
    "Contact in the footer should open an email to hello@fernandfell.example.",
    [edit({ op: "update", item: "nv_footer_contact", target: "mailto:hello@fernandfell.example" })],
    { "footer item Contact": { target: "mailto:hello@fernandfell.example" } },
  ),
  task(
    "heading",
    "Make a heading “More” in the header that leads nowhere, with About below it.",
    [
      edit({ op: "add", location: "header", label: "More", target: "none" }),
      edit({ op: "move", item: "nv_header_about", parent: "{1.created.0.id}" }),
    ],
    all(newItem("header", "More", "none"), header("Home, Blog [Packing light], Contact, More [About]")),
  ),
  task(
    "remove-with",
    "Take Blog and what is below it out of the header.",
    [edit({ op: "remove", item: "nv_header_blog", children: "remove" })],
    all({ "header item Blog": "gone", "header item Packing light": "gone" }, header("Home, About, Contact")),
  ),
  task(
    "remove-promote",
    "Take Blog out of the header, and leave what is below it in its place.",
    [edit({ op: "remove", item: "nv_header_blog", children: "promote" })],
    all({ "header item Blog": "gone" }, header("Home, About, Packing light, Contact")),
  ),
  task(
    "several",
    "In the header, call About “Guides”, take Home out, and put a link to https://shop.example called “Shop” at the end.",
    [
      edit(
        { op: "update", item: "nv_header_about", label: "Guides" },
        { op: "remove", item: "nv_header_home" },
        { op: "add", location: "header", label: "Shop", target: "https://shop.example" },
      ),
    ],
    all(
      { "header item About": { label: "Guides" }, "header item Home": "gone" },
      newItem("header", "Shop", "https://shop.example"),
      header("Guides, Blog [Packing light], Contact, Shop"),
    ),
  ),
  task(
    "german",
    "In German, Contact in the header is called “Kontakt”.",
    [["nav_edit", { ops: [{ op: "update", item: "nv_header_contact", label: "Kontakt" }], locale: "de" }]],
    { "header item Contact": { "de.label": "Kontakt" } },
  ),
  task(
    "cycle",
    "Put Blog below its own Packing light.",
    [
      [
        "nav_edit",
        { ops: [{ op: "move", item: "nv_header_blog", parent: "nv_header_packing_light" }] },
        "nav_cycle",
      ],
    ],
    {},
  ),
  task(
    "half",
    "Take About out of the header, and link the page Pricing there.",
    [
      [
        "nav_edit",
        {
          ops: [
            { op: "remove", item: "nv_header_about" },
            { op: "add", location: "header", label: "Pricing", target: "page:pricing" },
          ],
        },
        "not_found",
      ],
    ],
    {},
  ),
];

export const NAVIGATION: readonly Task[] = [removed, relabelled, others].flat();
