import { hexOf, parseColour, readableOn, textOn } from "./colours.ts";
import { SECTION_CSS } from "./style-sections.ts";

/**
 * The look of every site: system fonts, one accent, light and dark by what the reader's device asks for. Served as
 * files, because the policy of the pages allows no inline style.
 */

export const DEFAULT_ACCENT = "#2f6b4f";

/** The lightest and the darkest surfaces that accent-coloured text stands on; SITE_CSS uses the same values. */
const LIGHT = ["#fcfbf8", "#f2f0e9", "#ffffff"] as const;
const DARK = ["#121615", "#1b211f", "#232a28"] as const;

/**
 * The accent in both schemes: as a surface with the text that reads better on it, and as a text colour of at least
 * 4.5:1 on every surface. Anything but `#rrggbb` gives the default.
 */
export function themeCss(accent: string | null): string {
  const colour = parseColour(accent ?? "") ?? parseColour(DEFAULT_ACCENT) ?? [0, 0, 0];
  const ink = readableOn(colour, [0, 0, 0], LIGHT.map(surface));
  const glow = readableOn(colour, [255, 255, 255], DARK.map(surface));
  return `:root{--accent:${hexOf(colour)};--on-accent:${hexOf(textOn(colour))};--accent-ink:${hexOf(ink)}}
@media (prefers-color-scheme:dark){:root{--accent:${hexOf(glow)};--on-accent:${hexOf(textOn(glow))};--accent-ink:${hexOf(glow)}}}
`;
}

function surface(hex: string): readonly [number, number, number] {
  return parseColour(hex) ?? [0, 0, 0];
}

const BASE_CSS = `
:root{color-scheme:light dark;
--bg:${LIGHT[0]};--surface:${LIGHT[1]};--raised:${LIGHT[2]};--text:#1b2320;--quiet:#55605b;--line:#ddd9cd;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Helvetica Neue",Arial,sans-serif;
--serif:ui-serif,"Iowan Old Style","Palatino Linotype",Palatino,"URW Palladio L",P052,"Noto Serif",Georgia,serif;
--wide:72rem;--narrow:42rem;--gutter:clamp(1.25rem,4vw,3rem);--space:clamp(3rem,2rem + 4.5vw,6.5rem);--round:1rem;
--shadow:0 1px 2px rgb(24 32 28/.05),0 10px 30px -14px rgb(24 32 28/.22)}
@media (prefers-color-scheme:dark){:root{--bg:${DARK[0]};--surface:${DARK[1]};--raised:${DARK[2]};--text:#eceee9;--quiet:#a9b3ad;--line:#343d39;
--shadow:0 1px 2px rgb(0 0 0/.4),0 12px 32px -14px rgb(0 0 0/.7)}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:6rem}
body{margin:0;min-height:100vh;min-height:100svh;display:flex;flex-direction:column;background:var(--bg);color:var(--text);font-family:var(--sans);font-size:clamp(1.0625rem,1.02rem + .2vw,1.1875rem);line-height:1.65;overflow-wrap:break-word;-webkit-font-smoothing:antialiased}
main{flex:1}
main:focus{outline:none}
img{display:block;max-width:100%;height:auto}
h1,h2,h3,h4,h5,h6{margin:0;font-family:var(--serif);font-weight:600;line-height:1.15;letter-spacing:-.012em;text-wrap:balance}
p,ul,ol{margin:0}
ul[role=list]{padding:0;list-style:none}
a{color:var(--accent-ink);text-underline-offset:.2em;text-decoration-thickness:.08em}
a:hover{text-decoration-thickness:.14em}
:focus-visible{outline:3px solid var(--accent-ink);outline-offset:3px;border-radius:.3rem}
::selection{background:var(--accent);color:var(--on-accent)}
.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.wrap{width:min(100% - 2*var(--gutter),var(--wide));margin-inline:auto}
.block{padding-block:var(--space)}
.quiet{color:var(--quiet)}
.lead{font-size:clamp(1.15rem,1.05rem + .55vw,1.45rem);line-height:1.5;text-wrap:pretty}
.title{font-size:clamp(1.8rem,1.4rem + 1.8vw,2.75rem)}
.eyebrow{font-size:.85rem;font-weight:650;letter-spacing:.09em;text-transform:uppercase;color:var(--accent-ink)}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:3rem;padding:.6rem 1.5rem;border:2px solid transparent;border-radius:999px;font-weight:620;line-height:1.25;text-align:center;text-decoration:none}
.button-main{background:var(--accent);color:var(--on-accent)}
.button-second{border-color:currentColor;color:var(--accent-ink)}
.button:hover{text-decoration:underline;text-decoration-thickness:.1em}
.button-small{min-height:2.75rem;padding:.45rem 1.15rem;font-size:.95rem}
.skip{position:absolute;inset-inline-start:1rem;top:-6rem;z-index:30;padding:.8rem 1.2rem;border-radius:0 0 .6rem .6rem;background:var(--accent);color:var(--on-accent)}
.skip:focus{top:0}
.draft{padding:.55rem var(--gutter);background:#f4c84a;color:#231b00;font-size:.92rem;text-align:center}
.draft strong{margin-inline-end:.5rem}
.note{margin-block:1.5rem;padding:.8rem 1.1rem;border:2px dashed var(--quiet);border-radius:.7rem;color:var(--quiet);font-size:.95rem}
.prose{text-wrap:pretty}
.prose>*+*{margin-block-start:1em}
.prose :is(h2,h3,h4,h5,h6){margin-block-start:1.8em;font-size:1.25em}
.prose h2{font-size:1.55em}
.prose>:first-child{margin-block-start:0}
.prose :is(ul,ol){padding-inline-start:1.3em}
.prose li+li{margin-block-start:.35em}
.prose li::marker{color:var(--accent-ink)}
.prose .contains-task-list{padding:0;list-style:none}
.prose input{accent-color:var(--accent);margin-inline-end:.4em}
.prose blockquote{margin-inline:0;padding-inline-start:1.2em;border-inline-start:3px solid var(--accent);font-family:var(--serif);font-size:1.1em;font-style:italic}
.prose code{padding:.12em .35em;border-radius:.3em;background:var(--surface);font-family:ui-monospace,"Cascadia Code",Menlo,Consolas,monospace;font-size:.9em}
.prose pre{padding:1.1em 1.3em;border-radius:var(--round);background:var(--surface);overflow-x:auto;line-height:1.5}
.prose pre code{padding:0;background:none}
.prose table{display:block;max-width:100%;border-collapse:collapse;overflow-x:auto;font-size:.95em}
.prose :is(th,td){padding:.5em .9em;border-block-end:1px solid var(--line);text-align:start;vertical-align:top}
.prose [align=right]{text-align:end}
.prose [align=center]{text-align:center}
.prose hr{height:1px;margin-block:2.2em;border:0;background:var(--line)}
.prose img{border-radius:var(--round)}
@media print{.site-header nav,.menu-open,.skip,.draft,.pager{display:none!important}body{background:#fff;color:#000}}
`;

/** Everything that `/site/assets/site.css` holds; the accent in it is the default, themeCss comes after it. */
export const SITE_CSS = `${themeCss(null)}${BASE_CSS}${SECTION_CSS}`;
