import type { Report } from "./desk.ts";
import type { Wish } from "./wish.ts";

/** Stands at the end of every answer of its own making: nobody shall take rules for a language model. */
export const SIGNATURE =
  "(I am Cairn's rehearsal model: rules, not a language model. Set MODEL to use a real one.)";

const CAN = [
  "create pages with sections and images, publish them and put them into the navigation",
  "change, move, hide and delete sections, rename and delete pages, change images",
  "tell which pages, images, posts and navigation entries there are, and search the site",
];

export const HELP = `I look after this website. I can:\n${CAN.map((line) => `- ${line}`).join("\n")}\nTry "Create a page called Team with a hero image and a gallery, publish it and add it to the navigation", or "What is on the home page?".`;

/** The answer from what the wishes came to: what was done, what was told, what was not done, what is asked. */
export function composeAnswer(reports: readonly Report[], unfinished: readonly Wish[], why: string): string {
  const of = (...kinds: readonly Report["kind"][]): string[] =>
    unique(reports.filter((one) => kinds.includes(one.kind)).map((one) => one.text));
  const left = unfinished.map(describeWish).filter((text) => text !== "");
  const blocks = [
    of("done").join("\n"),
    of("told").join("\n\n"),
    of("note").join("\n"),
    of("denied", "failed").join("\n"),
    left.length === 0 ? "" : `Not done, because ${why}: ${left.join("; ")}. Ask me again to go on.`,
    of("asked").join("\n"),
  ].filter((block) => block !== "");
  return signed(blocks.length === 0 ? "All right: I changed nothing." : blocks.join("\n\n"));
}

/** A text with the line that says what speaks. */
export function signed(text: string): string {
  return `${text}\n\n${SIGNATURE}`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** A wish in few words, for saying that it was not fulfilled. */
export function describeWish(wish: Wish): string {
  const page =
    "page" in wish && wish.page !== null && wish.page.phrase !== null ? ` "${wish.page.phrase}"` : "";
  switch (wish.kind) {
    case "remember":
      return `remembering "${wish.value}"`;
    case "recall":
      return "what I was told to remember";
    case "create_page":
      return `creating the page "${wish.name ?? "without a name"}"`;
    case "create_entry":
      return `writing the post "${wish.title ?? ""}"`;
    case "set_status":
      return `${wish.to === "published" ? "publishing" : "unpublishing"}${page || " the page"}`;
    case "nav_add":
      return `adding${page || " the page"} to the navigation`;
    case "nav_remove":
      return `removing${page || " the page"} from the navigation`;
    case "nav_label":
      return `the navigation label "${wish.label}"`;
    case "page_rename":
      return `renaming${page || " the page"}`;
    case "page_slug":
      return `the new slug of${page || " the page"}`;
    case "page_meta":
      return `the meta ${wish.field} of${page || " the page"}`;
    case "page_delete":
      return `deleting${page || " the page"}`;
    case "section_text":
      return `the new ${wish.field}${page === "" ? "" : ` on${page}`}`;
    case "section_add":
      return `adding ${wish.sections.map((section) => section.word).join(", ")}${page === "" ? "" : ` to${page}`}`;
    case "section_move":
    case "section_hide":
    case "section_delete":
      return `${{ section_move: "moving", section_hide: wish.kind === "section_hide" && !wish.hidden ? "showing" : "hiding", section_delete: "deleting" }[wish.kind]} the ${wish.section.template ?? ""} section${page === "" ? "" : ` of${page}`}`;
    case "page_image":
      return `changing the image of${page || " the page"}`;
    case "undo":
      return "undoing the last change";
    case "check":
      return "the checks";
    case "greeting":
    case "thanks":
    case "farewell":
    case "help":
    case "unable":
      return "";
    default:
      return "answering the question";
  }
}
