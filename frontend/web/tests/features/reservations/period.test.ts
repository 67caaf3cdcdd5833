import { describe, expect, it } from "vitest";
import {
  dayIn,
  daysIn,
  kViews,
  neighbourOf,
  periodLabel,
  periodOf,
} from "../../../src/features/reservations/period";

const at = (day: number, hour = 0, month = 10) =>
  new Date(2026, month, day, hour).getTime();

describe("the period of a calendar", () => {
  it("starts at midnight", () => {
    expect(periodOf("day", at(26, 13)).startMs).toBe(at(26));
    expect(periodOf("week", at(26, 13)).startMs).toBe(at(23));
    expect(periodOf("month", at(26, 13)).startMs).toBe(at(1));
  });
  it("has the days of whole weeks for a month", () => {
    expect(daysIn(periodOf("day", at(26)))).toEqual([at(26)]);
    expect(daysIn(periodOf("week", at(26)))).toHaveLength(7);
    const days = daysIn(periodOf("month", at(26)));
    // November 2026 begins on a Sunday.
    expect(days[0]).toBe(at(26, 0, 9));
    expect(days.at(-1)).toBe(at(6, 0, 11));
    expect(days).toHaveLength(42);
  });
  it("leads to the next one and back", () => {
    for (const view of kViews) {
      const period = periodOf(view, at(30, 9));
      const next = neighbourOf(period, 1);
      expect(next.startMs).toBeGreaterThan(period.startMs);
      expect(periodOf(view, next.startMs)).toEqual(next);
      expect(neighbourOf(next, -1)).toEqual(period);
    }
    expect(neighbourOf(periodOf("month", at(5, 0, 11)), 1).startMs).toBe(
      new Date(2027, 0, 1).getTime(),
    );
  });
  it("keeps today when the view changes, or its start", () => {
    const month = periodOf("month", at(1));
    expect(dayIn(month, at(26, 9))).toBe(at(26, 9));
    expect(dayIn(month, at(2, 9, 11))).toBe(at(1));
  });
  it("has a name", () => {
    expect(kViews.map((view) => periodLabel(periodOf(view, at(26))))).toEqual([
      "Thu 26 Nov 2026",
      "23 Nov to 29 Nov 2026",
      "November 2026",
    ]);
  });
});
