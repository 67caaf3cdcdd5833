// A log as the server would hold it, and the answers it would give: "?" for
// each byte that is no UTF-8.
import { create } from "@bufbuild/protobuf";
import { type GetLogResponse, GetLogResponseSchema } from "#proto/jobs";
import { kPieceBytes } from "../../src/log/log_text";

export class SampleLog {
  private bytes: Uint8Array;

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }
  get size() {
    return this.bytes.length;
  }
  write(text: string) {
    const more = new TextEncoder().encode(text);
    this.bytes = new Uint8Array([...this.bytes, ...more]);
  }
  replace(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }
  read(offset: number, most = kPieceBytes): GetLogResponse {
    const { size } = this;
    const first =
      offset < 0 ? Math.max(0, size + offset) : Math.min(size, offset);
    const piece = this.bytes.subarray(first, first + most);
    return create(GetLogResponseSchema, {
      text: new TextDecoder().decode(piece).replace(/\ufffd/g, "?"),
      offset: BigInt(first),
      next: BigInt(first + piece.length),
      size: BigInt(size),
    });
  }
}
