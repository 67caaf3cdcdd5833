import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import { BatchSpecSchema, JobSpecSchema, JobState } from "#proto/jobs";
import { commands, matching } from "../../src/app/commands";
import { navigationLinks } from "../../src/app/navigation";
import { sampleJob } from "../features/jobs/sample_job";

const links = navigationLinks({
  environments: false,
  reservations: false,
  administration: false,
  waiting: 0,
});
const cluster = create(GetClusterResponseSchema, {
  apps: [
    { id: "jupyter", name: "JupyterLab" },
    { id: "web", name: "Custom web app", requiresFile: ".carme/web-app" },
  ],
});
const all = (jobs: Parameters<typeof commands>[0]["jobs"] = []) =>
  commands({ links, jobs, cluster });
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);

describe("the commands", () => {
  it("do not open jobs that have no app or are not ready", () => {
    const batch = create(JobSpecSchema, { batch: create(BatchSpecSchema) });
    const jobs = [
      sampleJob("pending", JobState.PENDING),
      sampleJob("batch", JobState.READY, { spec: batch }),
      sampleJob("ready", JobState.READY),
    ];
    const open = ids(all(jobs)).filter((id) => id.startsWith("open-"));
    expect(open).toEqual(["open-ready"]);
  });

  it("do not go to ended jobs", () => {
    const ended = sampleJob("old", JobState.ENDED);
    expect(ids(all([ended]))).not.toContain("job-old");
  });

  it("start only apps that need no file", () => {
    const start = ids(all()).filter((id) => id.startsWith("start-"));
    expect(start).toEqual(["start-jupyter"]);
  });

  it("go to the files, without a job", () => {
    const [files] = all().filter(({ id }) => id === "page-files");
    expect(files).toMatchObject({ label: "Files", href: "#/files" });
  });

  it("leave out areas that the site does not offer", () => {
    expect(ids(all())).not.toContain("page-reservations");
    expect(ids(all())).not.toContain("page-users");
  });
});

describe("a search in the commands", () => {
  it("needs every word, and puts labels that start with it first", () => {
    expect(ids(matching(all(), "jupyter start", false))).toEqual([
      "start-jupyter",
    ]);
    expect(matching(all(), "no such thing", false)).toEqual([]);
    expect(ids(matching(all(), "jo", false))[0]).toBe("page-dashboard");
  });

  it("offers users only to administrators", () => {
    expect(ids(matching(all(), "fay", false))).toEqual([]);
    const [user] = matching(all(), "fay", true);
    expect(user?.href).toBe("#/admin/users/fay");
  });
});
