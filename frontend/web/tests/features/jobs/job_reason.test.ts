import { describe, expect, it } from "vitest";
import { reasonParts } from "../../../src/features/jobs/job_reason";

const kNew = "b23456789abcdefg";

describe("the reason of a job that ended", () => {
  it("has no link unless the job was submitted again", () => {
    const reason = `vetting: n2. Submitted again as ${kNew} without n2`;
    expect(reasonParts({ reason, resubmittedAs: "" })).toEqual({
      before: reason,
      link: "",
      after: "",
    });
    expect(reasonParts({ reason: "stopped", resubmittedAs: kNew })).toEqual({
      before: "stopped",
      link: "",
      after: "",
    });
  });

  it("links the new job, in any language", () => {
    const reason = `vetting: n2. Erneut eingereicht als ${kNew} ohne n2`;
    expect(reasonParts({ reason, resubmittedAs: kNew })).toEqual({
      before: "vetting: n2. Erneut eingereicht als ",
      link: kNew,
      after: " ohne n2",
    });
  });

  it("ignores the id in the text of the job itself", () => {
    const reason = `${kNew} failed. Submitted again as ${kNew} without n2`;
    expect(reasonParts({ reason, resubmittedAs: kNew }).before).toBe(
      `${kNew} failed. Submitted again as `,
    );
  });
});
