import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  filterOfQuery,
  messageOfFilter,
  queryOfFilter,
} from "../../../../src/features/admin/audit/audit_filter";

describe("the filter of the audit log", () => {
  it("round-trips through the query string", () => {
    const form = {
      ...filterOfQuery(""),
      actor: "ada",
      decision: "refuse",
      text: "a&b=c d",
      since: "2026-11-21T08:30",
    };
    expect(filterOfQuery(queryOfFilter(form))).toEqual(form);
  });

  it("leaves empty fields out of the query string", () => {
    expect(queryOfFilter(filterOfQuery(""))).toBe("");
  });

  it("uses the browser's time zone", () => {
    const form = { ...filterOfQuery(""), since: "2026-11-21T08:30" };
    const { since, until } = messageOfFilter(form);
    const local = new Date(2026, 10, 21, 8, 30).getTime();
    expect(since && timestampMs(since)).toBe(local);
    expect(until).toBeUndefined();
  });

  it("ignores an invalid time in the query string", () => {
    const form = { ...filterOfQuery(""), since: "yesterday" };
    expect(messageOfFilter(form).since).toBeUndefined();
  });
});
