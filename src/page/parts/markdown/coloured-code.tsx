import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import { memo, type ReactNode } from "react";

const lowlight = createLowlight({
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  php,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

/** Code in the colours of its language, by highlight.js; as it is where the language is not known. */
export default memo(function ColouredCode({ text, language }: { text: string; language: string }) {
  return lowlight.registered(language) ? elements(lowlight.highlight(language, text)) : text;
});

function elements({ type, value, properties, children = [] }: Node): ReactNode {
  if (type === "text") return value;
  const inside = children.map((child, at) => <Piece key={at} node={child} />);
  const names = properties?.className;
  return type === "element" ? (
    <span className={Array.isArray(names) ? names.join(" ") : ""}>{inside}</span>
  ) : (
    inside
  );
}

const Piece = ({ node }: { node: Node }) => elements(node);
