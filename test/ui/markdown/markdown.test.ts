import { gfmFromMarkdown } from "mdast-util-gfm";
import { fromMarkdown } from "mdast-util-from-markdown";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";
import * as whole from "property-information";
import { expect, test } from "vitest";
import * as slim from "../../../build/stubs/property-names.ts";

/** Something of all that markdown makes an element with attributes of. */
const TEXT = `# Title

[link](https://example.com "its title") ![image](/media/x.png "seen") https://example.com

3. three
4. four

- [x] done
- [ ] open

| a | b | c |
|:--|:-:|--:|
| 1 | 2 | 3 |

A note[^1] and another[^1].

[^1]: Of it.

\`\`\`js title
const a = 1;
\`\`\`
`;

interface Element {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Element[];
}

function propertiesOf(node: Element): string[] {
  return [...Object.keys(node.properties ?? {}), ...(node.children ?? []).flatMap(propertiesOf)];
}

/** The name by which React is given a property (hast-util-to-jsx-runtime). */
const reactName = ({ find, hastToReact, html }: typeof whole | typeof slim, property: string): string => {
  const info = find(html as never, property);
  return (
    (info.space ? (hastToReact as Record<string, string>)[info.property] : undefined) ??
    (info.space ? info.property : info.attribute)
  );
};

test("the page's own table of attributes names each that markdown makes as the package does", () => {
  const tree = fromMarkdown(TEXT, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const made = [...new Set(propertiesOf(toHast(tree) as Element))].toSorted();
  expect(made).toEqual(
    expect.arrayContaining(["align", "alt", "checked", "className", "href", "src", "start", "title"]),
  );
  expect(made.map((name) => reactName(slim, name))).toEqual(made.map((name) => reactName(whole, name)));
  expect(made.filter((name) => whole.find(whole.html, name).commaSeparated)).toEqual([]);
});
