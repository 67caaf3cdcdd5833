// The icons: 24 units wide, strokes of 1.8, in the text colour.
const kPaths = {
  alert: "M12 4 2.8 20h18.4L12 4Zm0 6v4.5m0 2.9v.1",
  app: "M6.5 4h11A2.5 2.5 0 0 1 20 6.5v11a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 4 17.5v-11A2.5 2.5 0 0 1 6.5 4ZM9 9h6v6H9z",
  arrow: "M5 12h14m-6-6 6 6-6 6",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15L6 16.5Zm4 4h4",
  back: "M19 12H5m6-6-6 6 6 6",
  calendar: "M4.5 6h15v13.5h-15zM4.5 10.5h15M8.5 3.5V7m7-3.5V7",
  chart: "M4 4v16h16M8 16v-4m4 4V8m4 8v-6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevron: "m7 10 5 5 5-5",
  "cloud-off":
    "M4 4l16 16M8.6 8.4A6 6 0 0 0 6.5 19H17m3.6-1.9A4 4 0 0 0 18 10.5h-.6A6 6 0 0 0 11 6",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 4.5V12l3 2",
  contrast: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 0v18m2.5-14v10m3-8.5v7",
  copy: "M9 9h10v11H9zM5 15V4h10",
  code: "m8 8-4 4 4 4m8-8 4 4-4 4M13.5 5l-3 14",
  cpu: "M7 7h10v10H7zM10 3v4m4-4v4m-4 10v4m4-4v4M3 10h4m-4 4h4m10-4h4m-4 4h4",
  cross: "m6 6 12 12M18 6 6 18",
  desktop: "M3 4.5h18v11.5H3zM12 16v4m-4 0h8",
  download: "M12 4v11m-5-5 5 5 5-5M5 19.5h14",
  edit: "M4 20h4L19 9l-4-4L4 16v4Zm9-13 4 4",
  folder: "M3.5 6h6l2 2.5h9v10.5h-17z",
  gauge: "M4 18a8.5 8.5 0 1 1 16 0M12 15l4-5",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-2.6 6.6a2.6 2.6 0 1 1 3.9 2.3c-.9.5-1.3 1-1.3 2m0 2.6v.1",
  key: "M14.5 13.5a5 5 0 1 0-4-4L4 16v4h4v-2.5h2.5V15l1.5-1.5m4-6v.1",
  laptop: "M6 5h12v10H6zM3 19h18",
  layers: "m12 4 9 4.5-9 4.5-9-4.5L12 4Zm-9 8.5 9 4.5 9-4.5M3 16.5 12 21l9-4.5",
  leave: "M14 4H6v16h8m-4-8h10m-3.5-3.5L20 12l-3.5 3.5",
  list: "M8.5 6H20M8.5 12H20M8.5 18H20M4.5 6v.1m0 5.9v.1m0 5.9v.1",
  mail: "M3.5 6h17v12.5h-17zM3.5 7l8.5 6.5L20.5 7",
  menu: "M4 7h16M4 12h16M4 17h16",
  minus: "M6 12h12",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z",
  notebook: "M7 3.5h12v17H7zM11 8h4.5M11 12h4.5M5 7h4M5 12h4M5 17h4",
  open: "M13 5h6v6m0-6-9 9M17 14v5H5V7h5",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9a6 6 0 0 1 12 0m1-9.2a3.5 3.5 0 0 0 0-6.6m2 9.6a6 6 0 0 1 3 5.2",
  phone: "M7.5 3h9v18h-9zM11 18h2",
  play: "M8 5.5v13l10.5-6.5L8 5.5Z",
  plus: "M12 6v12M6 12h12",
  print: "M7 9V4h10v5M7 16H4V9h16v7h-3M7 13.5h10V20H7z",
  shield:
    "M12 3 5 6v5.5c0 4.4 3 7.6 7 9.5 4-1.9 7-5.1 7-9.5V6l-7-3Zm-3 9 2.2 2.2L15.5 10",
  stop: "M7 7h10v10H7z",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm5 11.5L20 20",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm0-5v1.5m0 15V21m9-9h-1.5m-15 0H3m15.4-6.4-1.1 1.1M6.7 17.3l-1.1 1.1m12.8 0-1.1-1.1M6.7 6.7 5.6 5.6",
  terminal: "M3 4.5h18v15H3zM7 9.5l3 2.75-3 2.75M12.5 15H17",
} as const;

export type IconName = keyof typeof kPaths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={kPaths[name]} />
    </svg>
  );
}
