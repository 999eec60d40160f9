import type { Json, JsonObject } from "../../core/log/json.ts";
import type { LibraryImage } from "./library.ts";
import { pickImage, pickImages } from "./library.ts";
import { firstOf, foldWords } from "./tokens.ts";

/** What the texts of a section are written from. */
export interface Brief {
  /** name of the page */
  readonly name: string;
  readonly siteName: string;
  readonly tagline: string | null;
  /** a link in the form that the CMS takes, for buttons */
  readonly link: string;
  readonly images: readonly LibraryImage[];
  /** a text that the person gave for the heading */
  readonly title: string | null;
  /** how many items a list is to have, 1 when not said */
  readonly count: number;
  readonly imageQuery: string | null;
}

interface Topic {
  readonly words: readonly string[];
  readonly subtitle: string;
  readonly heading: string;
  readonly items: readonly (readonly [string, string])[];
}

const TOPICS: readonly Topic[] = [
  {
    words: ["about", "story", "company", "who"],
    subtitle: "Who we are, what we do and why we do it.",
    heading: "What we stand for",
    items: [
      ["Experience", "We know our trade and share what we have learned."],
      ["Care", "We take our time and look after the details."],
      ["Honesty", "We say what is possible, and what is not."],
    ],
  },
  {
    words: ["team", "crew", "people", "staff"],
    subtitle: "The people behind our work.",
    heading: "How we work together",
    items: [
      ["Many skills", "Each of us brings something that the others lack."],
      ["One aim", "We want every guest to come back."],
      ["Open ears", "Ask us anything, before, during and after."],
    ],
  },
  {
    words: ["contact", "touch", "reach"],
    subtitle: "Ask us anything. A person answers.",
    heading: "How to reach us",
    items: [
      ["Write to us", "Tell us what you have in mind."],
      ["Talk to us", "We like to hear your plans."],
      ["Visit us", "Come by and say hello."],
    ],
  },
  {
    words: ["pricing", "prices", "price", "plans", "cost"],
    subtitle: "Clear prices, with nothing hidden.",
    heading: "What you pay for",
    items: [
      ["One price", "What we quote is what you pay."],
      ["Small groups", "More time for each of you."],
      ["Fair terms", "Plans change; so can a booking."],
    ],
  },
  {
    words: ["faq", "questions", "help", "support"],
    subtitle: "Answers to what people ask us most.",
    heading: "Good to know",
    items: [
      ["Before you book", "What to expect, and how to prepare."],
      ["On the day", "Where we meet, and what to bring."],
      ["Afterwards", "How to stay in touch with us."],
    ],
  },
  {
    words: ["jobs", "careers", "work", "join"],
    subtitle: "Work with people who like what they do.",
    heading: "Why work with us",
    items: [
      ["Good company", "A small team that helps each other."],
      ["Real work", "You see what comes of it."],
      ["Room to grow", "Learn from each other, every season."],
    ],
  },
  {
    words: ["winter", "snow", "summer", "spring", "autumn", "season", "festival"],
    subtitle: "What the season holds, and how to be part of it.",
    heading: "What to look forward to",
    items: [
      ["The best days", "We choose the time with care."],
      ["Good company", "Small groups, and room for questions."],
      ["Well prepared", "We tell you what to bring, and bring the rest."],
    ],
  },
  {
    words: ["privacy", "terms", "conditions", "imprint", "legal"],
    subtitle: "What applies here, in plain words.",
    heading: "The essentials",
    items: [
      ["Plain words", "Written so that it can be read."],
      ["Your rights", "What you can ask of us, and how."],
      ["Questions", "Write to us, and we will explain."],
    ],
  },
];

function topicOf(name: string): Topic {
  const words = foldWords(name);
  const known = TOPICS.find((topic) => topic.words.some((word) => words.includes(word)));
  return (
    known ?? {
      words: [],
      subtitle: `All about ${name}, in one place.`,
      heading: `${name} at a glance`,
      items: [
        ["What it is", `The short answer on ${name}.`],
        ["Why it matters", "What you gain from it, in plain words."],
        ["How to begin", "The first step is easier than you think."],
      ],
    }
  );
}

/** Content for a section of a known template, every required field filled; null when it needs an image and there is none. */
export function writeSection(template: string, brief: Brief): JsonObject | null {
  const { name, siteName, tagline, link, title } = brief;
  const topic = topicOf(name);
  const isKnown = topic.words.length > 0;
  const hero = pickImage(brief.images, `${brief.imageQuery ?? ""} ${name}`, 0);
  switch (template) {
    case "hero":
      return clean({
        title: fitHeading(title ?? name),
        subtitle: topic.subtitle.slice(0, 240),
        image: hero?.id,
      });
    case "feature":
      return {
        heading: fitHeading(title ?? topic.heading),
        description:
          tagline === null ? `What you can expect from ${siteName}.` : `${siteName}: ${endless(tagline)}.`,
        items: topic.items
          .slice(0, brief.count > 1 ? Math.min(brief.count, topic.items.length) : topic.items.length)
          .map(([heading, text]) => ({ title: heading, description: text })),
      };
    case "cta":
      return {
        heading: fitHeading(title ?? "Shall we talk?"),
        description: `Tell ${siteName} what you have in mind. We will find the rest together.`,
        buttonText: "Get in touch",
        buttonLink: link,
      };
    case "gallery": {
      const images = pickImages(brief.images, 3);
      return images.length === 0
        ? null
        : { title: fitHeading(title ?? `${name} in pictures`), images: images.map((image) => image.id) };
    }
    case "image-text": {
      const image = pickImage(brief.images, `${brief.imageQuery ?? ""} ${name}`, 1);
      const text = `${topic.subtitle}\n\n${topic.items.map(([heading, line]) => `**${heading}.** ${line}`).join("\n\n")}`;
      return image === null
        ? null
        : {
            heading: fitHeading(title ?? (isKnown ? topic.heading : `More on ${name}`)),
            content: text,
            image: image.id,
          };
    }
    default:
      return null;
  }
}

/** Headings of all known templates hold 120 characters (cms 5). */
function fitHeading(text: string): string {
  return firstOf(text, 120);
}

/** Whether a template needs or profits from an image. */
export function wantsImage(template: string | null): boolean {
  return template === "hero" || template === "gallery" || template === "image-text";
}

/** Content for a template that we do not know, from its fields: every required field by its type. */
export function writeByFields(fields: readonly JsonObject[], brief: Brief): JsonObject | null {
  const content: Record<string, Json> = {};
  for (const field of fields) {
    const key = typeof field["key"] === "string" ? field["key"] : "";
    if (field["required"] !== true || key === "") continue;
    const value = writeField(field, brief);
    if (value === null) return null;
    content[key] = value;
  }
  return content;
}

/** A sensible value for a field by its type; null when there is none, such as an image without a library. */
export function writeField(field: JsonObject, brief: Brief): Json {
  const topic = topicOf(brief.name);
  const key = typeof field["key"] === "string" ? field["key"] : "";
  const image = pickImage(brief.images, brief.name, 0)?.id ?? null;
  switch (field["type"]) {
    case "text":
      return /button|cta/iu.test(key)
        ? "Read more"
        : /company|brand/iu.test(key)
          ? brief.siteName
          : /sub|desc|note|quote/iu.test(key)
            ? topic.subtitle
            : (brief.title ?? brief.name);
    case "markdown":
      return topic.subtitle;
    case "image":
      return image;
    case "image_list":
      return image === null ? null : [image];
    case "link":
      return brief.link;
    case "select":
      return Array.isArray(field["options"]) && typeof field["options"][0] === "string"
        ? field["options"][0]
        : null;
    case "boolean":
      return false;
    case "number":
      return typeof field["min"] === "number" ? field["min"] : 1;
    case "tags":
      return foldWords(brief.name).slice(0, 3);
    case "list": {
      const inner = Array.isArray(field["item"])
        ? field["item"].filter(
            (one): one is JsonObject => typeof one === "object" && one !== null && !Array.isArray(one),
          )
        : [];
      const item = writeByFields(inner, brief);
      return item === null ? null : [item];
    }
    default:
      return null;
  }
}

function clean(content: { readonly [key: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(content).filter((pair): pair is [string, Json] => pair[1] !== undefined),
  );
}

function endless(sentence: string): string {
  return sentence.trim().replace(/[.!\s]+$/u, "");
}
