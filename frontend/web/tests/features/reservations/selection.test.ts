import { describe, expect, it } from "vitest";
import {
  bookablePart,
  hourFrom,
  kSlotMs,
  type Selection,
  selectionAfter,
  slotAt,
  spanOf,
} from "../../../src/features/reservations/selection";

const at = (day: number, hour: number, minute = 0) =>
  new Date(2026, 10, day, hour, minute).getTime();
const kDays = [at(23, 0), at(24, 0), at(25, 0)];
const select = (anchorMs: number, headMs: number): Selection => ({
  anchorMs,
  headMs,
});

describe("a selection by pointer", () => {
  it("that is past books nothing", () => {
    const span = spanOf(select(at(23, 9), at(23, 10)));
    expect(bookablePart(span, at(23, 10, 30))).toBeUndefined();
    expect(bookablePart(span, at(24, 0))).toBeUndefined();
  });
  it("that is partly past starts with the current minute", () => {
    const span = spanOf(select(at(23, 9), at(23, 10)));
    expect(bookablePart(span, at(23, 9, 47) + 12_345)).toEqual({
      startMs: at(23, 9, 47),
      endMs: at(23, 10, 30),
    });
    expect(bookablePart(span, at(23, 8))).toEqual(span);
  });
  it("has slots of half an hour, within the day", () => {
    expect(slotAt(kDays[0]!, 0.5)).toBe(at(23, 12));
    expect(slotAt(kDays[0]!, 0.53)).toBe(at(23, 12, 30));
    expect(slotAt(kDays[0]!, -3)).toBe(at(23, 0));
    expect(slotAt(kDays[0]!, 1)).toBe(at(23, 23, 30));
    expect(slotAt(kDays[0]!, 7)).toBe(at(23, 23, 30));
  });
  it("is the same in both directions, and goes over midnight", () => {
    const forward = spanOf(select(at(23, 22), at(24, 1)));
    expect(forward).toEqual({ startMs: at(23, 22), endMs: at(24, 1, 30) });
    expect(spanOf(select(at(24, 1), at(23, 22)))).toEqual(forward);
  });
  it("of a click is an hour", () => {
    expect(spanOf(hourFrom(at(23, 9)))).toEqual({
      startMs: at(23, 9),
      endMs: at(23, 10),
    });
  });
});

describe("a selection by keyboard", () => {
  const after = (
    key: string,
    selection?: Selection,
    extend = false,
    now = at(23, 9, 10),
  ) => selectionAfter(key, extend, selection, kDays, now);

  it("ignores other keys", () => {
    for (const key of ["a", "Enter", "Tab", "PageDown", "toString"]) {
      expect(after(key, select(at(23, 9), at(23, 9)))).toBeUndefined();
    }
  });
  it("stays within the shown days", () => {
    const first = select(kDays[0]!, kDays[0]!);
    expect(after("ArrowUp", first)?.headMs).toBe(kDays[0]);
    expect(after("ArrowLeft", first)?.headMs).toBe(kDays[0]);
    const last = at(26, 0) - kSlotMs;
    expect(after("ArrowDown", select(last, last))?.headMs).toBe(last);
    expect(after("ArrowRight", select(last, last))?.headMs).toBe(last);
  });
  it("begins with the next slot, or in the morning of another time", () => {
    expect(after("ArrowDown")).toEqual(select(at(23, 9, 30), at(23, 9, 30)));
    expect(after("ArrowDown", undefined, false, at(29, 9))?.headMs).toBe(
      at(23, 8),
    );
  });
  it("moves, and with Shift extends", () => {
    const start = select(at(23, 9), at(23, 9));
    expect(after("ArrowRight", start)).toEqual(select(at(24, 9), at(24, 9)));
    const longer = after("ArrowDown", start, true)!;
    expect(longer).toEqual(select(at(23, 9), at(23, 9, 30)));
    expect(spanOf(longer)).toEqual({ startMs: at(23, 9), endMs: at(23, 10) });
    expect(after("ArrowUp", longer)).toEqual(start);
  });
});
