import { describe, expect, it } from "vitest";
import {
  firstPiece,
  isFull,
  kMaxChars,
  kPieceBytes,
  type LogText,
  olderOffset,
  withNewer,
  withOlder,
} from "../../../../src/features/jobs/log/log_text";
import { SampleLog } from "./sample_log";

const tail = (log: SampleLog) => firstPiece(log.read(-kPieceBytes));
const older = (read: LogText, log: SampleLog) =>
  withOlder(read, log.read(olderOffset(read)));

describe("the text of a log", () => {
  it("starts again after truncation", () => {
    const log = new SampleLog("a long beginning");
    const read = tail(log);
    log.replace("short");
    expect(withNewer(read, log.read(read.next))).toBeUndefined();
  });

  it("grows with new text", () => {
    const log = new SampleLog("one\n");
    const read = tail(log);
    log.write("zwölf\n");
    const grown = withNewer(read, log.read(read.next));
    expect(grown).toMatchObject({ text: "one\nzwölf\n", from: 0, size: 11 });
  });

  it("is unchanged without new text", () => {
    const log = new SampleLog("one\n");
    const read = tail(log);
    expect(withNewer(read, log.read(read.next))).toEqual(read);
  });

  it("is complete and without duplicates after loading all older text", () => {
    const whole = Array.from({ length: 30_000 }, (_, n) => `${n}é\n`).join("");
    const log = new SampleLog(whole);
    let read = tail(log);
    for (let round = 0; read.from > 0 && round < 10; ++round) {
      read = older(read, log);
    }
    expect(read.text).toBe(whole);
    expect(read).toMatchObject({ from: 0, next: log.size });
  });

  it("handles an incomplete character", () => {
    const half = new Uint8Array([0xe6, 0x97]);
    const x = (count: number) => new TextEncoder().encode("x".repeat(count));
    const log = new SampleLog("");
    // Where the first piece begins, and as its end.
    log.write(new Uint8Array([...x(90_000), ...half, ...x(kPieceBytes - 2)]));
    log.write(half);
    let read = tail(log);
    read = withNewer(read, log.read(read.next)) ?? read;
    expect(read.next).toBe(log.size);
    for (let round = 0; read.from > 0 && round < 10; ++round) {
      read = older(read, log);
    }
    expect(read.from).toBe(0);
    expect(read.text).toHaveLength(log.size);
    expect(read.text.replaceAll("x", "")).toBe("????");
  });

  it("ignores older text with a gap", () => {
    const log = new SampleLog("x".repeat(200_000));
    const read = tail(log);
    log.replace("y".repeat(1000));
    expect(older(read, log)).toBe(read);
  });

  it("drops whole lines at its beginning when too long", () => {
    const line = `${"é".repeat(99)}\n`;
    const log = new SampleLog("");
    let read: LogText | undefined = tail(log);
    const text = line.repeat(kMaxChars / 100 + 1);
    log.write(text);
    while (read && read.next < log.size) {
      read = withNewer(read, log.read(read.next, 199 * 300));
    }
    expect(read!.text.length).toBeLessThan(kMaxChars);
    expect(read!.text.startsWith("é")).toBe(true);
    const shown = new TextEncoder().encode(read!.text).length;
    expect(read!.from).toBe(log.size - shown);
  });

  it("reports when it is full", () => {
    const read = { text: "", from: 9, next: 9, size: 9 };
    expect(isFull(read)).toBe(false);
    expect(isFull({ ...read, text: "x".repeat(kMaxChars) })).toBe(true);
  });
});
