import { describe, expect, it } from "vitest";
import { curlLine } from "../../../src/features/account/curl_line";

const line = (...scopes: string[]) =>
  curlLine("https://carme.example.org", scopes, "carme_s3cret");

describe("the example command", () => {
  it("uses a call that the scopes allow", () => {
    expect(line("jobs:read")).toContain("JobService/ListJobs");
    expect(line("audit:read")).toContain("AuditService/ListAudit");
    expect(line("account:read")).toContain("AuthService/GetSession");
  });

  it("does not pass the token as an argument", () => {
    const [label, input] = line("jobs:read").split("<<<");
    expect(label).not.toContain("s3cret");
    expect(input).toContain("Authorization: Bearer carme_s3cret");
  });
});
