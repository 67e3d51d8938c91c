/** Line icons on a grid of 20, drawn for the console. Decoration only: the words stand beside them. */
const PATHS = {
  overview: "M3 10.5 10 4l7 6.5M5 9v7h10V9",
  library: "M4 4h3v12H4zM8.5 4h3v12h-3zM13 5l2.8-.8 2.7 11.5-2.8.7z",
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM13.2 13.2 17 17",
  chat: "M4 4.5h12v9H9l-3.5 3v-3H4z",
  agents: "M10 2.5v2.5M5 6.5h10v8H5zM8 10.2v.6M12 10.2v.6M2.8 10v2M17.2 10v2M8 17.5h4",
  settings:
    "M4 6h7M15 6h1M4 14h1M9 14h7M13 4.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM7 12.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  upload: "M10 13V4M6.5 7.5 10 4l3.5 3.5M4 13v3h12v-3",
  download: "M10 4v9M6.5 9.5 10 13l3.5-3.5M4 13v3h12v-3",
  trash: "M4 6h12M8 6V4h4v2M5.5 6l.7 10h7.6l.7-10M8.5 9v4.5M11.5 9v4.5",
  refresh: "M15.5 8A6 6 0 1 0 16 11.5M16 4v4h-4",
  copy: "M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3",
  edit: "M4 16l.8-3.4L13 4.4l2.6 2.6-8.2 8.2zM11.2 6.2l2.6 2.6",
  check: "M4.5 10.5 8.5 14.5 15.5 6",
  close: "M5 5l10 10M15 5 5 15",
  plus: "M10 4v12M4 10h12",
  stop: "M6 6h8v8H6z",
  send: "M10 16V4M5 9l5-5 5 5",
  shield: "M10 3l6 2v5c0 3.5-2.5 6-6 7-3.5-1-6-3.5-6-7V5z",
  back: "M12 4.5 6.5 10l5.5 5.5",
  forward: "M8 4.5l5.5 5.5L8 15.5",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  file: "M5 3h7l3 3v11H5zM12 3v3h3",
  warning: "M10 3.5 17.5 16h-15zM10 8.5v3.5M10 14h.01",
  list: "M4 5.5h12M4 10h12M4 14.5h12",
  light:
    "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M15.7 4.3l-1.1 1.1M5.4 14.6l-1.1 1.1",
  dark: "M15.5 12.5A6.5 6.5 0 0 1 7.5 4.5 6.5 6.5 0 1 0 15.5 12.5z",
  external: "M8 5H5v10h10v-3M11 4.5h4.5V9M15.5 4.5 9.5 10.5",
  info: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 9.2v4.3M10 6.6h.01",
  up: "M6.5 9v7.5h7.6l1.6-6.2a1 1 0 0 0-1-1.3h-4l.8-4.4a1.3 1.3 0 0 0-2.5-.6L6.5 9zM3.5 9.5h3v6.5h-3z",
  down: "M6.5 11V3.5h7.6l1.6 6.2a1 1 0 0 1-1 1.3h-4l.8 4.4a1.3 1.3 0 0 1-2.5.6L6.5 11zM3.5 4h3v6.5h-3z",
  pin: "M7.5 3h5M8.5 3v5L6 11.5h8L11.5 8V3M10 11.5V17",
  clip: "M15.5 9.3 10 14.8a3.3 3.3 0 0 1-4.7-4.7l5.9-5.9a2.2 2.2 0 0 1 3.1 3.1l-5.8 5.8a1.1 1.1 0 0 1-1.6-1.6l5-5",
  picture: "M3.5 4.5h13v11h-13zM3.5 13.5l3.5-3.5 3 3 2.5-2.5 4 4M12.8 7.4h.01",
  people:
    "M7.5 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM2.5 16c.3-3 2.2-4.5 5-4.5s4.7 1.5 5 4.5M13 4.8a2.4 2.4 0 0 1 0 4.4M14.4 11.8c1.8.6 2.9 2 3.1 4.2",
  key: "M12.5 4a3.5 3.5 0 1 1-2.6 5.9L4.5 15.2M6.5 13.2l2 2M4.5 15.2l1.5 1.5",
} as const

export type IconName = keyof typeof PATHS

/** Those that point along the line: from right to left they point the other way. */
const POINTING = new Set<IconName>(["back", "forward", "external", "list"])

export const Icon = ({ name }: { name: IconName }) => (
  <svg class={POINTING.has(name) ? "icon pointing" : "icon"} viewBox="0 0 20 20" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
