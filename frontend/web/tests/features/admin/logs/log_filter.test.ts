import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { LogEntrySchema, LogSeverity } from "#proto/log";
import {
  logFilterOfQuery,
  logQueryOfJob,
  messageOfLogFilter,
  queryOfLogFilter,
} from "../../../../src/features/admin/logs/log_filter";
import {
  logJobLabel,
  severityLabel,
} from "../../../../src/features/admin/logs/log_labels";

describe("the filter of the service log", () => {
  it("ignores an invalid time and an unknown level in the query string", () => {
    const form = logFilterOfQuery("since=yesterday&level=all");
    const message = messageOfLogFilter(form);
    expect(message.since).toBeUndefined();
    expect(message.minSeverity).toBe(LogSeverity.UNSPECIFIED);
  });

  it("round-trips through the query string", () => {
    const form = {
      ...logFilterOfQuery(""),
      node: "gpu01",
      service: "carme-prolog",
      level: "error",
      until: "2026-11-21T08:30",
    };
    expect(logFilterOfQuery(queryOfLogFilter(form))).toEqual(form);
    expect(messageOfLogFilter(form)).toMatchObject({
      node: "gpu01",
      service: "carme-prolog",
      minSeverity: LogSeverity.ERROR,
    });
  });

  it("uses the browser's time zone", () => {
    const { since } = messageOfLogFilter(
      logFilterOfQuery("since=2026-11-21T08:30"),
    );
    const local = new Date(2026, 10, 21, 8, 30).getTime();
    expect(since && timestampMs(since)).toBe(local);
  });

  it("selects one job", () => {
    expect(messageOfLogFilter(logFilterOfQuery(logQueryOfJob("k1"))).job).toBe(
      "k1",
    );
  });
});

describe("an entry of the service log", () => {
  it("shows what is known of its job", () => {
    const entry = (init: object) => create(LogEntrySchema, init);
    expect(logJobLabel(entry({}))).toBe("");
    expect(logJobLabel(entry({ slurmJobId: 7 }))).toBe("Slurm 7");
    expect(
      logJobLabel(entry({ jobId: "k1", slurmJobId: 7, user: "ada" })),
    ).toBe("k1 · Slurm 7 · ada");
  });

  it("is a warning or an error", () => {
    const of = (severity: LogSeverity) =>
      severityLabel(create(LogEntrySchema, { severity })).label;
    expect(of(LogSeverity.ERROR)).toBe("Error");
    expect(of(LogSeverity.WARNING)).toBe("Warning");
  });
});
