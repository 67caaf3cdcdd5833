import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it } from "vitest";
import { ViolationSchema } from "#proto/jobs";
import { validationErrorsOf } from "../../../../src/features/start/form/validation_errors";
import { violationLabel } from "../../../../src/features/start/form/violation_labels";
import { setActiveLocale } from "../../../../src/lib/language/locale";

const violation = (limit: string, value: string) =>
  create(ViolationSchema, { field: "", limit, value, message: "server" });
const shown = (limit: string, value: string) =>
  validationErrorsOf([], [violation(limit, value)]).form?.[0]?.message;

describe("a limit", () => {
  afterEach(() => setActiveLocale("en-GB"));

  it("without a text of its own has the server's", () => {
    setActiveLocale("de-DE");
    expect(violationLabel(violation("membership", ""))).toBeUndefined();
    expect(violationLabel(violation("max_gpus", ""))).toBeUndefined();
    expect(shown("membership", "")).toBe("server");
  });

  it("has the server's text in the language of the server", () => {
    expect(shown("max_running_jobs", "4")).toBe("server");
  });

  it("has a text in other languages", () => {
    setActiveLocale("de-DE");
    expect(shown("max_running_jobs", "4")).toContain("most 4 jobs");
    expect(shown("max_walltime_min", "60")).toContain("at most 60 min");
    expect(shown("max_walltime", "60 min")).toContain("at most 60 min");
    expect(shown("slurm", "")).toContain("does not respond");
  });
});
