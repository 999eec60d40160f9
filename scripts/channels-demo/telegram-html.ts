/** The HTML of Telegram as its server reads it (https://core.telegram.org/bots/api#html-style): strictly, with its own complaints. */

export interface Entity {
  readonly type: string;
  /** in UTF-16 units of the text */
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

export interface ParsedHtml {
  readonly text: string;
  readonly entities: readonly Entity[];
}

const TYPES: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  code: "code",
  pre: "pre",
  a: "text_link",
  blockquote: "blockquote",
};
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** Throws an Error whose message is the description of the 400. */
export function parseTelegramHtml(html: string): ParsedHtml {
  const entities: Entity[] = [];
  const open: { tag: string; offset: number; attribute: string }[] = [];
  let text = "";
  const fail = (what: string): never => {
    throw new Error(`Bad Request: can't parse entities: ${what}`);
  };
  for (let at = 0; at < html.length;) {
    const rest = html.slice(at);
    if (rest[0] === "<") {
      const tag = /^<(\/?)([a-z]+)((?: [a-z-]+="[^"<>]*")*)>/.exec(rest);
      if (tag === null) return fail(`Unsupported start tag at byte offset ${at}`);
      const [whole, slash, name = "", attribute = ""] = tag;
      if (TYPES[name] === undefined) return fail(`Unsupported start tag "${name}" at byte offset ${at}`);
      if (slash === "") open.push({ tag: name, offset: text.length, attribute });
      else {
        const last = open.pop();
        if (last?.tag !== name)
          return fail(`Unmatched end tag at byte offset ${at}, expected "</${last?.tag ?? ""}>"`);
        const entity = entityOf(name, last.offset, text.length - last.offset, last.attribute);
        if (entity.length > 0) entities.push(entity);
      }
      at += whole.length;
    } else if (rest[0] === "&") {
      const reference = /^&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/i.exec(rest);
      const [whole = "&", decimal, hex, name = ""] = reference ?? [];
      const point = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
      text +=
        reference === null
          ? "&"
          : (NAMED[name] ?? (Number.isNaN(point) ? whole : String.fromCodePoint(point)));
      at += whole.length;
    } else {
      text += rest[0];
      at += 1;
    }
  }
  if (open.length > 0)
    return fail(`Can't find end tag corresponding to start tag "${open.at(-1)?.tag ?? ""}"`);
  return { text, entities: entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length) };
}

function entityOf(tag: string, offset: number, length: number, attribute: string): Entity {
  const base = { type: TYPES[tag] ?? tag, offset, length };
  const href = /href="([^"]*)"/.exec(attribute)?.[1];
  const language = /class="language-([^"]*)"/.exec(attribute)?.[1];
  return {
    ...base,
    ...(href === undefined ? {} : { url: href.replaceAll("&amp;", "&") }),
    ...(language === undefined ? {} : { language }),
  };
}
