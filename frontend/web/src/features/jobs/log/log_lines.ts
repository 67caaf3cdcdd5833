// The lines of a log: levels and times of those that Carme's programs write, and
// levels of common formats of other programs.

export type LogLevel = "debug" | "info" | "warning" | "error";

export interface LogLine {
  readonly atMs?: number; // of Carme's programs
  readonly level?: LogLevel;
  readonly text: string; // without the time
}

// "2026-11-23T03:42:30.664Z info environment entered …", with "[n2] " in front
// if the line is another node's.
const kCarme =
  /^((?:\[[^\]\s]+\] )?)(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ((debug|info|warning|error) .*)$/;
// "[E 2026-11-23 …]" as of Jupyter.
const kBracketed = /^\[([DIWEC]) \d/;
const kErrors =
  /^(?:Traceback \(most recent call last\)|\w*(?:Error|Exception)\b: )|\b(?:ERROR|CRITICAL|FATAL)\b/;
const kWarnings = /\bWARN(?:ING)?\b|\b[A-Z]\w*Warning: /;

const kLetters: Readonly<Record<string, LogLevel>> = {
  D: "debug",
  I: "info",
  W: "warning",
  E: "error",
  C: "error",
};

export function parseLine(text: string): LogLine {
  const carme = kCarme.exec(text);
  if (carme) {
    const [, node = "", at = "", rest = "", level] = carme;
    return {
      atMs: Date.parse(at),
      level: level as LogLevel,
      text: node + rest,
    };
  }
  const level = levelOf(text);
  return { text, ...(level && { level }) };
}

function levelOf(text: string): LogLevel | undefined {
  const letter = kBracketed.exec(text)?.[1];
  if (letter) return kLetters[letter];
  if (kErrors.test(text)) return "error";
  return kWarnings.test(text) ? "warning" : undefined;
}

// Whole lines in pieces, so that only changed pieces are drawn again.
export const kPieceLines = 200;

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    let to = from;
    for (let line = 0; line < kPieceLines && to < text.length; line++) {
      const end = text.indexOf("\n", to);
      to = end < 0 ? text.length : end + 1;
    }
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

// What Carme wrote before the program's first line.
export interface Startup {
  readonly text: string;
  readonly rest: string; // of the program, never empty
  readonly lines: number;
  readonly ms: number; // from the first line to the last
}

// `text`: from the beginning of the log. undefined: less than two lines, or
// nothing of the program yet.
export function startupOf(text: string): Startup | undefined {
  let end = 0;
  let lines = 0;
  let firstMs: number | undefined;
  let lastMs = 0;
  for (;;) {
    const next = text.indexOf("\n", end) + 1;
    if (next === 0) break;
    const { atMs } = parseLine(text.slice(end, next - 1));
    if (atMs === undefined) break;
    firstMs ??= atMs;
    lastMs = atMs;
    lines++;
    end = next;
  }
  if (firstMs === undefined || lines < 2 || end === text.length) {
    return undefined;
  }
  return {
    text: text.slice(0, end),
    rest: text.slice(end),
    lines,
    ms: Math.max(0, lastMs - firstMs),
  };
}

// The event of a line of Carme: "environment entered", with its fields.
export function eventOf(line: LogLine): {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
} {
  const text = line.text.replace(/^(?:\[[^\]\s]+\] )?\w+ /, "");
  const fields: Record<string, string> = {};
  for (const [, key, quoted, plain] of text.matchAll(
    / ([a-z_]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g,
  )) {
    fields[key!] = quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "";
  }
  return { name: text.split(/ [a-z_]+=/)[0] ?? text, fields };
}
