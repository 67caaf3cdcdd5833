import { describe, expect, it } from "vitest";
import {
  boundsOfMonths,
  monthChoices,
  monthLabel,
  queryOfSummary,
  summaryOfQuery,
} from "../../../src/features/summary/summary_form";

const kNow = new Date(2026, 10, 15).getTime();

describe("the selection of a summary", () => {
  it("is the current month if it is invalid or reversed", () => {
    for (const query of [
      "",
      "from=2026-13",
      "from=2026-1",
      "from=2026-10&to=2026-09",
      "from=x&to=y",
    ]) {
      expect(summaryOfQuery(query, kNow)).toEqual({
        owner: "",
        from: "2026-11",
        to: "2026-11",
      });
    }
  });

  it("round-trips through the address", () => {
    const form = { owner: "p1", from: "2025-12", to: "2026-02" };
    expect(summaryOfQuery(queryOfSummary(form), kNow)).toEqual(form);
    const one = { owner: "", from: "2026-02", to: "2026-02" };
    expect(queryOfSummary(one)).toBe("from=2026-02");
    expect(summaryOfQuery(queryOfSummary(one), kNow)).toEqual(one);
  });

  it("reaches from the first day of the first month to the last of the last", () => {
    const bounds = boundsOfMonths({
      owner: "",
      from: "2025-12",
      to: "2026-02",
    });
    expect(bounds.fromMs).toBe(new Date(2025, 11, 1).getTime());
    expect(bounds.toMs).toBe(new Date(2026, 2, 1).getTime());
  });

  it("offers the last three years and the chosen month", () => {
    const months = monthChoices(kNow, ["2020-01"]);
    expect(months[0]).toBe("2026-11");
    expect(months).toHaveLength(37);
    expect(months[months.length - 1]).toBe("2020-01");
    expect(monthLabel("2026-11")).toBe("November 2026");
  });
});
