// The part of a log that was read: one contiguous piece that grows at both
// ends. Offsets are bytes in the log. The server returns whole characters, and
// one replacement for each byte that is not UTF-8, so text and offsets always
// agree.
import type { GetLogResponse } from "#proto/jobs";

export interface LogText {
  readonly text: string;
  readonly from: number; // of its first byte
  readonly next: number; // of the first byte after it
  readonly size: number; // of the log at the last request
}

// The maximum of one call.
export const kPieceBytes = 65_536;
// The maximum that is kept in the page. Beyond it the beginning is dropped, in
// large pieces so that the text rarely moves.
export const kMaxChars = 4 * 1024 * 1024;
const kKeptChars = kMaxChars / 2;

export function firstPiece(answer: GetLogResponse): LogText {
  return {
    text: answer.text,
    from: Number(answer.offsetBytes),
    next: Number(answer.nextOffsetBytes),
    size: Number(answer.sizeBytes),
  };
}

// `answer` is the response for log.next. Returns undefined if the log was
// truncated and must be read again.
export function withNewer(
  log: LogText,
  answer: GetLogResponse,
): LogText | undefined {
  const size = Number(answer.sizeBytes);
  // The server returns the end of the log for offsets beyond it.
  if (Number(answer.offsetBytes) !== log.next) return undefined;
  if (answer.text === "") return { ...log, size };
  return shortened({
    ...log,
    text: log.text + answer.text,
    next: Number(answer.nextOffsetBytes),
    size,
  });
}

export function olderOffset(log: LogText): number {
  // The request overlaps the known text, because the server may drop an
  // incomplete character at the end.
  return Math.max(0, log.from - kPieceBytes + 3);
}

export function isFull(log: LogText): boolean {
  return log.text.length + kPieceBytes > kMaxChars;
}

// `answer` is the response for olderOffset(log) and may overlap the known text.
// If there is a gap, the log was truncated and is returned unchanged.
export function withOlder(log: LogText, answer: GetLogResponse): LogText {
  const offset = Number(answer.offsetBytes);
  if (offset >= log.from || Number(answer.nextOffsetBytes) < log.from)
    return log;
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

// The number of UTF-16 units in the first `bytes` bytes of `text`.
function charsOf(text: string, bytes: number): number {
  return kDecoder.decode(kEncoder.encode(text).subarray(0, bytes)).length;
}
