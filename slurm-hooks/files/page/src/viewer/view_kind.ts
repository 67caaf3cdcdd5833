// How a file is shown, by its name. The server decides the type that the
// browser gets; a wrong guess here shows nothing worse than text.
import { extensionOf } from "../paths/names";

export type ViewKind =
  "image" | "pdf" | "audio" | "video" | "code" | "text" | "archive" | "unknown";

const kExtensions: Readonly<Record<Exclude<ViewKind, "unknown">, string>> = {
  image: "png jpg jpeg gif webp avif svg bmp ico",
  pdf: "pdf",
  audio: "mp3 ogg oga opus wav flac m4a aac",
  video: "mp4 m4v webm ogv mov",
  code: "py pyi sh bash zsh c h cc cpp cxx hh hpp cu cuh js mjs ts tsx jsx json toml yaml yml r jl rs go java ipynb sql css html xml cmake lua pl rb",
  text: "txt md rst log csv tsv ini cfg conf out err tex bib",
  archive: "zip tar gz tgz bz2 xz zst 7z",
};

const kindOf = new Map<string, ViewKind>();
for (const [kind, extensions] of Object.entries(kExtensions)) {
  for (const extension of extensions.split(" ")) {
    kindOf.set(extension, kind as ViewKind);
  }
}

export function viewKindOf(name: string): ViewKind {
  return kindOf.get(extensionOf(name)) ?? "unknown";
}
