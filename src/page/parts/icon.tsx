/** Line drawings of 20 by 20, in the color of the surrounding text. Next to words, or under a label of the button. */
const LINES = {
  plus: "M10 4v12M4 10h12",
  search: "M9 15a6 6 0 1 0 0-12 6 6 0 0 0 0 12zm4.5-1.5L17 17",
  menu: "M3 5h14M3 10h14M3 15h14",
  close: "M5 5l10 10M15 5L5 15",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M6 6h8v8H6z",
  copy: "M7 7V4h9v9h-3M4 7h9v9H4z",
  check: "M4 10.5l4 4 8-9",
  retry: "M15.5 6.5A7 7 0 1 0 17 10M16 3v4h-4",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  site: "M3 4h14v12H3zM3 8h14M6 6h.01",
  trace: "M5 4v12M5 6h8M5 10h11M5 14h6",
  memory: "M10 3a6 6 0 0 0-3 11v3h6v-3a6 6 0 0 0-3-11zM8 17h4",
  settings: "M4 6h7M15 6h1M4 14h1M9 14h7M13 4v4M7 12v4",
  inbox: "M3 11l2.5-6h9L17 11v5H3zM3 11h4l1 2h4l1-2h4",
  fold: "M6 8l4 4 4-4",
  warn: "M10 3l8 14H2zM10 8v4M10 14.5h.01",
  unknown: "M7 7.5a3 3 0 1 1 4.2 2.7c-.8.4-1.2.9-1.2 1.8v.5M10 15.5h.01",
  open: "M8 4H4v12h12v-4M11 3h6v6M17 3l-8 8",
  edit: "M4 16l1-4 8-8 3 3-8 8zM12 5l3 3",
  image: "M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13 7.5h.01",
  file: "M5 3h7l3 3v11H5zM12 3v3h3M8 10h4M8 13h4",
  down: "M10 4v12M5 11l5 5 5-5",
} as const;

export type IconName = keyof typeof LINES;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={LINES[name]} />
    </svg>
  );
}
