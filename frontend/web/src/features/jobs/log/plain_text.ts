/* eslint no-control-regex: off -- control characters are what it removes */
// The text that a terminal would show for a program's output, without colours.

// ECMA-48 escape sequences, possibly incomplete at the end of the text.
const kEscapes = new RegExp(
  [
    /\x1b\[[0-?]*[ -/]*(?:[@-~]|$)/, // control sequences: colours, cursor movement
    /\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?/, // strings: window title
    /\x1b[ -/]*(?:[0-~]|$)/, // other sequences
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);
const kControls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

export function plainText(text: string): string {
  const lines = text.replace(kEscapes, "").replace(kControls, "");
  if (!lines.includes("\r")) return lines;
  return lines.split("\n").map(lastState).join("\n");
}

// A progress bar overwrites itself: only its last state is kept.
function lastState(line: string): string {
  const text = line.replace(/\r+$/, "");
  return text.slice(text.lastIndexOf("\r") + 1);
}
