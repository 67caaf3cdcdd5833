// The icons: 24 units wide, in the text colour, as those of the portal.
const kPaths = {
  alert: "M12 4 2.8 20h18.4L12 4Zm0 6v4.5m0 2.9v.1",
  archive: "M4 8h16v11.5H4zM3 4.5h18V8H3zM10 12h4",
  audio:
    "M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Zm10-2a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Z",
  back: "M19 12H5m6-6-6 6 6 6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevron: "m7 10 5 5 5-5",
  "cloud-off":
    "M4 4l16 16M8.6 8.4A6 6 0 0 0 6.5 19H17m3.6-1.9A4 4 0 0 0 18 10.5h-.6A6 6 0 0 0 11 6",
  code: "m8 8-4 4 4 4m8-8 4 4-4 4M13.5 5l-3 14",
  copy: "M9 9h10v11H9zM5 15V4h10",
  cross: "m6 6 12 12M18 6 6 18",
  disk: "M4 14h16v5H4zM4 14 7 5h10l3 9M16.5 16.5v.1",
  download: "M12 4v11m-5-5 5 5 5-5M5 19.5h14",
  edit: "M4 20h4L19 9l-4-4L4 16v4Zm9-13 4 4",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  file: "M6 3.5h8l4.5 4.5v12.5H6zM13.5 3.5v5h5",
  folder: "M3.5 18.5v-13h6l2 2.5h9v10.5z",
  "folder-plus": "M3.5 18.5v-13h6l2 2.5h9v10.5zM12 11v5m-2.5-2.5h5",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-2.6 6.6a2.6 2.6 0 1 1 3.9 2.3c-.9.5-1.3 1-1.3 2m0 2.6v.1",
  home: "M4 11.5 12 4l8 7.5V20h-5.5v-5.5h-5V20H4z",
  image: "M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15 9v.1",
  keyboard: "M3 6.5h18v11H3zM7 10v.1m3.3-.1v.1m3.4-.1v.1M17 10v.1M8 14h8",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  more: "M6 12v.1m6-.1v.1m6-.1v.1",
  move: "M3.5 18.5v-13h6l2 2.5h9v10.5zM9 13h6m-2.5-2.5L15 13l-2.5 2.5",
  paste: "M8 5H5.5v15h13V5H16M8.5 3.5h7v3.5h-7z",
  plus: "M12 6v12M6 12h12",
  refresh: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9m0-5v5h-5",
  scratch: "M13 3 5 13.5h6L10.5 21 19 10.5h-6z",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm5 11.5L20 20",
  text: "M6 3.5h8l4.5 4.5v12.5H6zM13.5 3.5v5h5M9 12.5h6.5M9 16h6.5",
  trash: "M5 7h14M9.5 7V4.5h5V7M7 7l.8 13h8.4L17 7M10.5 11v5m3-5v5",
  up: "M12 19V5m-6 6 6-6 6 6",
  upload: "M12 15.5V4.5m-5 5 5-5 5 5M5 19.5h14",
  video: "M3.5 6h12v12h-12zM15.5 11l5-3v8l-5-3",
} as const;

export type IconName = keyof typeof kPaths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={kPaths[name]} />
    </svg>
  );
}
