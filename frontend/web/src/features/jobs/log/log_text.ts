// A log as far as it was read: one unbroken piece of it, which grows at both
// ends. Offsets are bytes in the log; the server gives whole characters, and one
// byte's worth of text for each byte that is no UTF-8, so text and offsets
// always agree.
import type { GetLogResponse } from "#proto/jobs";

export interface LogText {
  readonly text: string;
  readonly from: number; // of its first byte
  readonly next: number; // of the first byte behind it
  readonly size: number; // of the log when it was last seen
}

// The most that a single call gives.
export const kPieceBytes = 65_536;
// What a browser can show without trouble. Who follows a log for longer loses
// the beginning, a good piece at a time so that the text rarely moves.
export const kMaxChars = 4 * 1024 * 1024;
const kKeptChars = kMaxChars / 2;

export function firstPiece(answer: GetLogResponse): LogText {
  return {
    text: answer.text,
    from: Number(answer.offset),
    next: Number(answer.next),
    size: Number(answer.size),
  };
}

// `answer` was asked for at log.next. undefined: the log was cut meanwhile and
// has to be read anew.
export function withNewer(
  log: LogText,
  answer: GetLogResponse,
): LogText | undefined {
  const size = Number(answer.size);
  // The server reads at the end when it is asked for what is behind it.
  if (Number(answer.offset) !== log.next) return undefined;
  if (answer.text === "") return { ...log, size };
  return shortened({
    ...log,
    text: log.text + answer.text,
    next: Number(answer.next),
    size,
  });
}

export function olderOffset(log: LogText): number {
  // It reaches a little into what is there, so that it still meets it where the
  // server leaves out the first bytes of a character at its end.
  return Math.max(0, log.from - kPieceBytes + 3);
}

export function isFull(log: LogText): boolean {
  return log.text.length + kPieceBytes > kMaxChars;
}

// `answer` was asked for at olderOffset(log); it may reach into what is there.
// Where it does not meet it the log was cut, and stays as it is.
export function withOlder(log: LogText, answer: GetLogResponse): LogText {
  const offset = Number(answer.offset);
  if (offset >= log.from || Number(answer.next) < log.from) return log;
  const end = charsOf(answer.text, log.from - offset);
  return { ...log, text: answer.text.slice(0, end) + log.text, from: offset };
}

function shortened(log: LogText): LogText {
  if (log.text.length <= kMaxChars) return log;
  const line = log.text.indexOf("\n", log.text.length - kKeptChars);
  const cut = line < 0 ? log.text.length - kKeptChars : line + 1;
  const from = log.from + bytesOf(log.text.slice(0, cut));
  return { ...log, text: log.text.slice(cut), from };
}

const kEncoder = new TextEncoder();
const kDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

function bytesOf(text: string): number {
  return kEncoder.encode(text).length;
}

// How many UTF-16 units of `text` its first `bytes` bytes are.
function charsOf(text: string, bytes: number): number {
  return kDecoder.decode(kEncoder.encode(text).subarray(0, bytes)).length;
}
