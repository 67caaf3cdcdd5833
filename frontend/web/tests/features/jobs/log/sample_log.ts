// A log as the server would hold it, and the answers it would give: whole
// characters, and "?" for each byte that is no UTF-8.
import { create } from "@bufbuild/protobuf";
import { type GetLogResponse, GetLogResponseSchema } from "#proto/jobs";
import { kPieceBytes } from "../../../../src/features/jobs/log/log_text";

export class SampleLog {
  private bytes: Uint8Array;

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }
  get size() {
    return this.bytes.length;
  }
  write(text: string | Uint8Array) {
    const more =
      typeof text === "string" ? new TextEncoder().encode(text) : text;
    this.bytes = new Uint8Array([...this.bytes, ...more]);
  }
  replace(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }
  read(offset: number, max = kPieceBytes): GetLogResponse {
    const { size } = this;
    let first =
      offset < 0 ? Math.max(0, size + offset) : Math.min(size, offset);
    let piece = this.bytes.subarray(first, first + max);
    const before = first > 0 ? cutOffBefore(piece) : 0;
    const whole = piece.subarray(before, piece.length - cutOffAfter(piece));
    if (whole.length > 0) {
      piece = whole;
      first += before;
    }
    return create(GetLogResponseSchema, {
      text: questioned(piece),
      offsetBytes: BigInt(first),
      nextOffsetBytes: BigInt(first + piece.length),
      sizeBytes: BigInt(size),
    });
  }
}

const continues = (byte: number | undefined) => ((byte ?? 0) & 0xc0) === 0x80;

function cutOffBefore(piece: Uint8Array): number {
  let length = 0;
  while (length < 3 && continues(piece[length])) ++length;
  return length;
}

function cutOffAfter(piece: Uint8Array): number {
  let length = 1;
  while (length < 4 && continues(piece.at(-length))) ++length;
  const first = piece.at(-length) ?? 0;
  const wants = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  return wants > length ? length : 0;
}

// "?" for each byte, where a decoder puts one mark for several.
function questioned(piece: Uint8Array): string {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return strict.decode(piece);
  } catch {
    // byte by byte, then
  }
  let text = "";
  for (let at = 0; at < piece.length;) {
    let length = 1;
    let character = "?";
    for (let tried = 1; tried <= 4; ++tried) {
      try {
        character = strict.decode(piece.subarray(at, at + tried));
        length = tried;
        break;
      } catch {
        // not that long
      }
    }
    text += character;
    at += length;
  }
  return text;
}
