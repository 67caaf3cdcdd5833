import { describe, expect, it } from "vitest";
import {
  blocksOf,
  dayAfter,
  daysOf,
  weekOf,
} from "../../../src/features/reservations/days";

const at = (day: number, hour: number, minute = 0) =>
  new Date(2026, 10, day, hour, minute).getTime();
const span = (name: string, startMs: number, endMs: number) => ({
  name,
  startMs,
  endMs,
});
const monday = at(23, 0);

describe("a week", () => {
  it("begins on Monday, whatever day and time it is", () => {
    expect(weekOf(at(23, 0))).toBe(monday);
    expect(weekOf(at(26, 13, 7))).toBe(monday);
    expect(weekOf(at(29, 23, 59))).toBe(monday);
    expect(weekOf(at(30, 0))).not.toBe(monday);
  });

  it("has seven days, also over the end of a month", () => {
    const days = daysOf(at(30, 0));
    expect(days).toHaveLength(7);
    expect(new Date(days[6]!).getDate()).toBe(6);
    expect(dayAfter(at(30, 12), 1)).toBe(new Date(2026, 11, 1).getTime());
  });
});

describe("the blocks of a day", () => {
  it("contain only the part on that day", () => {
    const items = [
      span("before", at(22, 20), at(23, 0)),
      span("after", at(24, 0), at(24, 1)),
      span("over night", at(22, 22), at(23, 6)),
    ];
    const blocks = blocksOf(items, monday);
    expect(blocks.map(({ item }) => item.name)).toEqual(["over night"]);
    expect(blocks[0]).toMatchObject({ top: 0, height: 0.25, lanes: 1 });
  });

  it("fill a day between start and end", () => {
    const [block] = blocksOf([span("long", at(20, 9), at(28, 9))], monday);
    expect(block).toMatchObject({ top: 0, height: 1 });
  });

  it("are side by side only if they overlap", () => {
    const items = [
      span("a", at(23, 8), at(23, 12)),
      span("b", at(23, 9), at(23, 10)),
      span("c", at(23, 10), at(23, 11)),
      span("d", at(23, 12), at(23, 13)),
    ];
    const lanes = blocksOf(items, monday).map(
      ({ item, lane, lanes: all }) => `${item.name}${lane}/${all}`,
    );
    expect(lanes).toEqual(["a0/2", "b1/2", "c1/2", "d0/1"]);
  });
});
