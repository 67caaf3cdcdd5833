import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  filterOfQuery,
  messageOfFilter,
  queryOfFilter,
} from "../../../../src/features/admin/audit/audit_filter";

describe("the filter of the audit log", () => {
  it("stands in the address and is read back from it", () => {
    const form = {
      ...filterOfQuery(""),
      actor: "ada",
      decision: "refuse",
      text: "a&b=c d",
      since: "2026-11-21T08:30",
    };
    expect(filterOfQuery(queryOfFilter(form))).toEqual(form);
  });

  it("leaves what is empty out of the address", () => {
    expect(queryOfFilter(filterOfQuery(""))).toBe("");
  });

  it("takes times as the reader's own", () => {
    const form = { ...filterOfQuery(""), since: "2026-11-21T08:30" };
    const { since, until } = messageOfFilter(form);
    const local = new Date(2026, 10, 21, 8, 30).getTime();
    expect(since && timestampMs(since)).toBe(local);
    expect(until).toBeUndefined();
  });

  it("ignores a time in the address that is none", () => {
    const form = { ...filterOfQuery(""), since: "yesterday" };
    expect(messageOfFilter(form).since).toBeUndefined();
  });
});
