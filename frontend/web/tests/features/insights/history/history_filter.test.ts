import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { HistoryScope } from "#proto/history";
import { JobEnd } from "#proto/jobs";
import {
  filterOfQuery,
  messageOfFilter,
  queryOfFilter,
} from "../../../../src/features/insights/history/history_filter";

const message = (query: string) => messageOfFilter(filterOfQuery(query));

describe("the history's filter", () => {
  it("ignores unknown values", () => {
    expect(queryOfFilter(filterOfQuery("nosuch=1&__proto__=2"))).toBe("");
    expect(message("end=nosuch").ends).toEqual([]);
    expect(message("end=constructor").ends).toEqual([]);
    expect(message("from=tomorrow").from).toBeUndefined();
    expect(message("from=2026-1-1").from).toBeUndefined();
  });

  it("round-trips through the address", () => {
    const query = queryOfFilter(
      filterOfQuery("owner=everybody&search=a%26b%20c&end=failed&user=ada"),
    );
    expect(queryOfFilter(filterOfQuery(query))).toBe(query);
  });

  it("defaults to the user's own jobs", () => {
    expect(message("")).toMatchObject({
      scope: HistoryScope.MINE,
      project: "",
      ends: [],
    });
  });

  it("accepts a project as owner or as filter", () => {
    expect(message("owner=p1&project=p2")).toMatchObject({
      scope: HistoryScope.PROJECT,
      project: "p1",
    });
    expect(message("project=p2")).toMatchObject({
      scope: HistoryScope.MINE,
      project: "p2",
    });
    expect(message("owner=everybody").scope).toBe(HistoryScope.EVERYBODY);
  });

  it("counts out of memory as a failure", () => {
    expect(message("end=failed").ends).toEqual([
      JobEnd.FAILED,
      JobEnd.OUT_OF_MEMORY,
    ]);
  });

  it("includes its last day in the browser's time zone", () => {
    const { from, to } = message("from=2026-11-22&to=2026-11-22");
    expect(timestampMs(from!)).toBe(new Date(2026, 10, 22).getTime());
    expect(timestampMs(to!)).toBe(new Date(2026, 10, 23).getTime());
  });
});
