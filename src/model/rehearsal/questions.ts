import type { Clause } from "./clauses.ts";
import {
  FILLERS,
  IMAGE_WORDS,
  NAV_WORDS,
  PAGE_WORDS,
  PLACE_WORDS,
  POST_WORDS,
  SECTION_WORDS,
  verbAt,
} from "./lexicon.ts";
import { sectionAt } from "./templates.ts";
import { readPageRef } from "./references.ts";
import type { Location, Wish } from "./wish.ts";

const SITE_WORDS = new Set([
  "site",
  "website",
  "company",
  "business",
  "tagline",
  "language",
  "languages",
  "locale",
  "locales",
  "homepage",
]);
const STATUS_WORDS = new Set([
  "published",
  "live",
  "online",
  "public",
  "draft",
  "drafts",
  "status",
  "unpublished",
  "offline",
  "visible",
]);
const MENTION_WORDS = new Set([
  "mention",
  "mentions",
  "mentioned",
  "find",
  "search",
  "talk",
  "talks",
  "about",
  "word",
  "phrase",
  "contain",
  "contains",
  "anything",
  "something",
  "anywhere",
  "say",
  "says",
  "write",
  "written",
  "locate",
  "look",
]);
const SMALL = new Set(
  "where do does did we i you is are the a an our my of for on in to there any anywhere site website mention mentions mentioned find search look up locate about talk talks something anything everything all every please me show us word words phrase text which what pages page section sections that contain contains containing it has have s can could tell with at say says write written entries posts".split(
    " ",
  ),
);

/** What a question wants to know; null when it is not about the site. */
export function readQuestion(clause: Clause): Wish | null {
  const tokens = clause.tokens;
  const words = new Set(tokens.map((token) => token.lower));
  const has = (...wanted: readonly string[]): boolean => wanted.some((word) => words.has(word));
  const hasAny = (set: ReadonlySet<string>): boolean => tokens.some((token) => set.has(token.lower));
  const first = tokens.find((token) => !FILLERS.has(token.lower) || token.lower === "is")?.lower ?? "";
  const count = has("many", "count", "number");
  const rest = tokens.slice(clause.rest);
  const page = readPageRef(rest);
  const section = tokens.findIndex(
    (_, at) =>
      sectionAt(tokens, at) !== null &&
      !PAGE_WORDS.has(tokens[at + (sectionAt(tokens, at)?.length ?? 0)]?.lower ?? ""),
  );

  const askable = has("what") && has("can", "could", "should") && has("ask", "say", "tell", "type");
  if (askable || (has("can", "could") && has("you") && has("what") && has("do", "help")))
    return { kind: "help" };
  if (has("who", "what") && has("you") && has("are") && tokens.length <= 6) return { kind: "help" };
  const mine =
    has("you", "your", "you're") &&
    has("name", "real", "ai", "bot", "human", "person", "model", "robot", "chatgpt", "claude");
  const howTo = first === "how" && has("do", "can", "should") && has("i", "we", "you") && !count;
  if (mine || howTo) return { kind: "help" };
  if (has("help") && tokens.length <= 4) return { kind: "help" };
  const finds = clause.act === "find" || (has("mention", "mentions", "mentioned") && !has("mention-free"));
  const where = first === "where" || first === "where's" || has("anywhere", "somewhere");
  const talks =
    has("talk", "talks", "say", "says", "anything", "written", "write") &&
    has("we", "site", "pages", "posts", "anything") &&
    has("about", "on", "of", "say", "says");
  const quoted = tokens.find((token) => token.kind === "quote");
  if (
    finds ||
    (where && !hasAny(NAV_WORDS)) ||
    (talks && !has("page")) ||
    (has("which") && has("contain", "contains", "containing"))
  ) {
    const query = quoted?.text ?? searchWords(clause);
    if (hasAny(IMAGE_WORDS) && finds) return { kind: "ask_images", query: imageQuery(clause), only: null };
    if (query !== "") return { kind: "ask_find", query };
  }
  if (hasAny(IMAGE_WORDS) && section < 0) {
    const only =
      has("unused") || (has("not", "don't", "never", "aren't", "isn't") && has("used", "use", "using"))
        ? "unused"
        : has("alt")
          ? "missing_alt"
          : null;
    return { kind: "ask_images", query: only === null ? imageQuery(clause) : null, only };
  }
  if (
    hasAny(NAV_WORDS) ||
    (hasAny(PLACE_WORDS) && has("in", "the") && section < 0 && has("links", "items", "what", "which"))
  ) {
    const asks = ["is", "are", "does"].includes(first) && page.phrase !== null;
    return { kind: "ask_navigation", location: readLocation(words), page: asks ? page : null };
  }
  const waiting =
    has("unpublished", "unsaved", "pending") ||
    (has("wait", "waits", "waiting") && has("published", "live", "publish")) ||
    (has("not", "yet", "haven't", "aren't", "isn't", "changes") &&
      has("published", "live", "publish", "unpublished", "public", "online", "visible"));
  if (hasAny(POST_WORDS) || has("blog")) {
    const status = has("draft", "drafts")
      ? "draft"
      : has("archived")
        ? "archived"
        : has("published")
          ? "published"
          : "all";
    if (!hasAny(PAGE_WORDS)) return { kind: "ask_entries", status };
  }
  if (has("templates", "kinds", "types") && (hasAny(SECTION_WORDS) || has("templates")))
    return { kind: "ask_templates" };
  const drafts = has("draft", "drafts");
  const plural = has("pages", "drafts", "subpages", "sitemap") || (has("every", "all") && has("page"));
  if (plural || (count && has("page") && !hasAny(SECTION_WORDS))) {
    const filter = waiting
      ? "waiting"
      : drafts
        ? "draft"
        : has("published", "live", "public", "online")
          ? "published"
          : "all";
    return { kind: "ask_pages", filter, count };
  }
  const aboutSite = hasAny(SITE_WORDS) && !hasAny(PAGE_WORDS) && page.phrase !== "home";
  if (
    waiting &&
    (page.phrase === null ||
      aboutSite ||
      (!hasAny(PAGE_WORDS) && has("anything", "something", "what", "everything")))
  )
    return { kind: "ask_pages", filter: "waiting", count };
  if (aboutSite)
    return has("whats", "status") && has("published")
      ? { kind: "ask_pages", filter: "all", count }
      : { kind: "ask_site" };
  const subject = tokens.findIndex(
    (token, at) =>
      PAGE_WORDS.has(token.lower) && ["about", "on", "for", "covering"].includes(tokens[at + 1]?.lower ?? ""),
  );
  if (subject >= 0 && ["do", "is", "are", "does", "any", "have", "which"].includes(first)) {
    const query = searchWords({ ...clause, tokens: tokens.slice(subject + 2), rest: 0 });
    if (query !== "") return { kind: "ask_find", query };
  }
  if (has("it", "there") && has("on", "in") && has("what", "what's", "whats") && tokens.length <= 6)
    return { kind: "ask_page", page, full: false, template: null };
  const template = section >= 0 ? (sectionAt(tokens, section)?.template ?? null) : null;
  const knowsPage = hasAny(PAGE_WORDS) || page.phrase === "home" || has("home");
  const yesNo = ["is", "are", "was", "isn't", "when"].includes(first);
  if (template === null && ((yesNo && hasAny(STATUS_WORDS)) || (has("status") && !count)))
    return { kind: "ask_status", page };
  if (knowsPage || template !== null || hasAny(SECTION_WORDS) || has("sections", "content")) {
    const full = has(
      "say",
      "says",
      "text",
      "read",
      "content",
      "contents",
      "full",
      "written",
      "exactly",
      "heading",
      "title",
      "subtitle",
    );
    return {
      kind: "ask_page",
      page:
        template === null
          ? page
          : readPageRef(
              tokens.filter(
                (_, at) => at < section || at >= section + (sectionAt(tokens, section)?.length ?? 0),
              ),
            ),
      full,
      template,
    };
  }
  if (talks || (has("about") && MENTION_WORDS.has(first))) {
    const query = searchWords(clause);
    if (query !== "") return { kind: "ask_find", query };
  }
  return null;
}

/** "header", "footer", "both", or null when the words name no place. */
export function readLocation(words: ReadonlySet<string>): Location | null {
  const footer = words.has("footer") || words.has("bottom");
  const header = words.has("header") || words.has("main") || words.has("top") || words.has("topbar");
  if (words.has("both") || (footer && header)) return "both";
  return footer ? "footer" : header ? "header" : null;
}

function searchWords(clause: Clause): string {
  return clause.tokens
    .filter(
      (token, at) =>
        (token.kind === "word" || token.kind === "quote") &&
        !SMALL.has(token.lower) &&
        !(at < clause.rest && verbAt(clause.tokens, at) !== null) &&
        !(FILLERS.has(token.lower) && token.kind === "word"),
    )
    .map((token) => token.text)
    .join(" ");
}

/** What an image should show: the words behind "of", "with", "called", "to"; null when none are given. */
export function imageQuery(clause: Pick<Clause, "tokens">): string | null {
  const tokens = clause.tokens;
  const noun = tokens.findLastIndex((token) => IMAGE_WORDS.has(token.lower));
  const behind = tokens.findIndex(
    (token, at) => at > noun && ["of", "with", "showing", "about", "called", "named"].includes(token.lower),
  );
  const own: string[] = [];
  const take = (from: number): void => {
    for (const token of tokens.slice(from)) {
      if (token.kind === "quote") own.push(token.text);
      else if (token.kind !== "word" || PAGE_WORDS.has(token.lower)) break;
      else if (["on", "in", "for", "to", "from", "at", "and", "as", "into", "please"].includes(token.lower))
        break;
      else if (
        ![
          "a",
          "an",
          "the",
          "some",
          "our",
          "my",
          "alt",
          "have",
          "do",
          "we",
          "there",
          "another",
          "different",
          "new",
          "other",
          "image",
          "images",
          "picture",
          "photo",
        ].includes(token.lower)
      )
        own.push(token.text);
    }
  };
  if (behind >= 0 && behind - noun <= 2 && noun >= 0) take(behind + 1);
  if (own.length > 0) return own.join(" ");
  const before = tokens[noun - 1];
  const plain =
    noun <= 0 || before?.kind !== "word" || FILLERS.has(before.lower) || verbAt(tokens, noun - 1) !== null;
  if (
    plain ||
    [
      "a",
      "an",
      "the",
      "hero",
      "which",
      "what",
      "any",
      "many",
      "all",
      "our",
      "my",
      "new",
      "another",
      "different",
      "other",
      "of",
      "with",
      "this",
      "that",
      "more",
      "some",
      "header",
      "these",
      "available",
      "stock",
      "better",
      "nice",
      "good",
      "and",
      "or",
      "for",
    ].includes(before?.lower ?? "the")
  )
    return null;
  return before?.text ?? null;
}
