// Reads a whole log, piece by piece.
import type { GetLogResponse } from "#proto/jobs";

const kMaxBytes = 512 * 1024 * 1024;

// The text in pieces. Throws the call's error. Ends where the log ended when the
// reading began.
export async function readWholeLog(
  read: (offset: number) => Promise<GetLogResponse>,
): Promise<string[]> {
  const parts: string[] = [];
  let offset = 0;
  let end = kMaxBytes;
  while (offset < end) {
    const answer = await read(offset);
    const next = Number(answer.nextOffsetBytes);
    if (offset === 0) end = Math.min(end, Number(answer.sizeBytes));
    if (next <= offset) break;
    parts.push(answer.text);
    offset = next;
  }
  return parts;
}
