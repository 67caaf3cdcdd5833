import { describe, expect, it } from "vitest";
import { curlLine } from "../../../src/features/account/curl_line";

const line = (...scopes: string[]) =>
  curlLine("https://carme.example.org", scopes, "carme_s3cret");

describe("the line for a shell", () => {
  it("calls what the scopes allow", () => {
    expect(line("jobs:read")).toContain("JobService/ListJobs");
    expect(line("audit:read")).toContain("AuditService/ListAudit");
    expect(line("account:read")).toContain("AuthService/GetSession");
  });

  it("keeps the token out of curl's arguments", () => {
    const [label, input] = line("jobs:read").split("<<<");
    expect(label).not.toContain("s3cret");
    expect(input).toContain("Authorization: Bearer carme_s3cret");
  });
});
