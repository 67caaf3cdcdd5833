import { describe, expect, it, vi } from "vitest";

vi.stubGlobal("location", { origin: "https://carme.test" });
const { firstCallsOf } = await import("../../src/app/first_calls");

const methods = (hash: string) =>
  firstCallsOf(hash).map(({ method }) => method);

describe("firstCallsOf", () => {
  it("has only reads, at most as many as a batch", () => {
    for (const hash of ["", "#/", "#/files", "#/admin/users", "#/nosuchpage"]) {
      expect(methods(hash).length).toBeLessThanOrEqual(16);
      for (const method of methods(hash)) {
        expect(method).toMatch(/^carme\.v1\.\w+\/(Get|List)[A-Z]/);
      }
    }
  });

  it("asks for the session first, because the others need it", () => {
    expect(methods("#/history")[0]).toBe("carme.v1.AuthService/GetSession");
  });

  it("has the calls of the files, but not those of the start form", () => {
    expect(methods("#/files")).toContain("carme.v1.StorageService/GetStorage");
    expect(methods("#/files")).toContain("carme.v1.ClusterService/GetCluster");
    expect(methods("#/files")).not.toContain(
      "carme.v1.PresetService/ListPresets",
    );
  });

  it("has the calls of the home page only there", () => {
    expect(methods("")).toContain("carme.v1.ClusterService/GetCluster");
    expect(methods("#/usage")).not.toContain(
      "carme.v1.ClusterService/GetCluster",
    );
  });
});
