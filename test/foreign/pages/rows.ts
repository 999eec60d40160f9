import type { ForeignRow } from "../row.ts";

const WEB_DEV = "https://web.dev/articles/declarative-shadow-dom";
const DOM = "https://dom.spec.whatwg.org/#shadow-trees";
const HTML = "https://html.spec.whatwg.org/multipage/scripting.html#attr-template-shadowrootmode";

/** A page and its text in the order in which a browser shows it. */
export const SHADOW_PAGES: readonly ForeignRow<string, string>[] = [
  {
    name: "a host with one slot",
    source: WEB_DEV,
    input: `<host-element><template shadowrootmode="open"><style>p{}</style><slot></slot><h2>Shadow</h2></template><h2>Light</h2></host-element>`,
    value: "## Light\n## Shadow",
  },
  {
    name: "named slots fill in the order of the shadow tree, others show their own content",
    source: DOM,
    input: `<p>Before</p><x-card><p slot="body">Body</p><h3 slot="title">Title <b>bold</b></h3><template shadowrootmode="closed"><slot name="title">Untitled</slot><div><slot name="body"></slot></div><p><slot name="foot">No foot</slot></p></template><p slot="nowhere">Never</p></x-card><p>After</p>`,
    value: "Before\n### Title bold\nBody\nNo foot\nAfter",
  },
  {
    name: "text without a slot attribute goes to the default slot, and blanks count as such",
    source: DOM,
    input: `<x-a><template shadowrootmode=open><p><slot>Empty</slot></p></template>Words</x-a><x-a><template shadowrootmode=open><p>[<slot>Nothing</slot>]</p></template></x-a><x-a><template shadowrootmode=open><p>[<slot>Hidden by a blank</slot>]</p></template> </x-a>`,
    value: "Words\n[Nothing]\n[ ]",
  },
  {
    name: "children of a host without slots are not shown",
    source: DOM,
    input: `<section><template shadowrootmode="open"><p>Shown</p></template><p>Not shown</p></section>`,
    value: "Shown",
  },
  {
    name: "a slot inside of another host passes children on",
    source: DOM,
    input: `<x-out><template shadowrootmode=open><p>Out</p><x-in><template shadowrootmode=open><p>In</p><slot name=b></slot></template><slot name=a slot=b></slot></x-in></template><p slot=a>Light</p></x-out>`,
    value: "Out\nIn\nLight",
  },
  {
    name: "a host among the children of a host",
    source: DOM,
    input: `<x-list><template shadowrootmode=open><ul><slot></slot></ul></template><x-item><template shadowrootmode=open><li><slot></slot></li></template>One</x-item><x-item><template shadowrootmode=open><li><slot></slot></li></template>Two</x-item></x-list>`,
    value: "- One\n- Two",
  },
  {
    name: "a slot that is there twice shows the children once",
    source: DOM,
    input: `<x-a><template shadowrootmode=open><p><slot>First</slot></p><p><slot>Second</slot></p></template>Words</x-a>`,
    value: "Words\nSecond",
  },
  {
    name: "a slot or its surroundings that are hidden hide the children",
    source: DOM,
    input: `<x-a><template shadowrootmode=open><p>Shown</p><div hidden><slot></slot></div><slot name=s aria-hidden=true></slot></template>One<p slot=s>Two</p></x-a>`,
    value: "Shown",
  },
  {
    name: "only the first template of a host is its shadow root, in any case",
    source: HTML,
    input: `<X-A><TEMPLATE ShadowRootMode="OPEN"><P>First</P></TEMPLATE><template shadowrootmode="open"><p>Second</p></template></X-A>`,
    value: "First",
  },
  {
    name: "a list, an ordinary template and an unknown mode have no shadow root",
    source: HTML,
    input: `<ul><template shadowrootmode="open"><li>No</li></template><li>Yes</li></ul><template><x-a><template shadowrootmode="open">Never</template></x-a></template><div><template shadowrootmode="half">Neither</template><p>Light</p></div>`,
    value: "- Yes\nLight",
  },
  {
    name: "a slot that fills a slot of a host inside, and content of slots in slots",
    source: DOM,
    input: `<x-o><template shadowrootmode="open"><x-i><template shadowrootmode="open"><h2><slot name="t">No title</slot></h2><slot>Empty</slot></template><slot name="head" slot="t">Own title</slot><p>Inner</p></x-i><slot name="a"><slot name="b"><p>Deep</p></slot></slot><slot name="c"><slot name="d"><p>Last</p></slot></slot></template><b slot="head">Given</b><p slot="b">B</p></x-o>`,
    value: "## Given\nInner\nB\nLast",
  },
  {
    name: "upper case and attributes of the template, and the attribute of the first proposal",
    source: HTML,
    input: `<div><TEMPLATE SHADOWROOTMODE='OPEN' shadowrootdelegatesfocus shadowrootclonable><p>In <slot></slot></p></TEMPLATE>light</div><x-t><template shadowroot="open"><p>Old</p></template><p>Light</p></x-t>`,
    value: "In light\nLight",
  },
  {
    name: "a table around a slot",
    source: DOM,
    input: `<x-t><template shadowrootmode="open"><table><tr><td><slot name="c"></slot></td><td>2</td></tr></table></template><span slot="c">1</span></x-t>`,
    value: "1 | 2",
  },
  {
    name: "the body as a host, and a page that breaks off inside of it",
    source: HTML,
    input: `<title>Page</title><body><template shadowrootmode="open"><main><slot></slot></main><p>Foot</p></template><p>Text`,
    value: "Text\nFoot",
  },
];
