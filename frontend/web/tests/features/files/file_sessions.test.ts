import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  GetClusterResponseSchema,
  type GetClusterResponse,
} from "#proto/cluster";
import {
  BatchSpecSchema,
  JobAppSchema,
  JobAppState,
  JobEnd,
  type JobSpec,
  JobSpecSchema,
  JobState,
} from "#proto/jobs";
import {
  comingSessions,
  failedSession,
  fileSessions,
  folderFragment,
  jobLabel,
  offerOf,
  openableJobs,
  sessionForm,
} from "../../../src/features/files/file_sessions";
import { formToSpec } from "../../../src/features/start/form/start_form";
import { sampleJob } from "../jobs/sample_job";

const { ENDED, PENDING, READY, STARTING, STOPPING } = JobState;

function cluster(
  more: Partial<Omit<GetClusterResponse, "$typeName">> = {},
): GetClusterResponse {
  const sample = create(GetClusterResponseSchema, {
    apps: [
      { id: "jupyter", name: "JupyterLab" },
      { id: "files", name: "Files", icon: "files" },
    ],
    images: [
      { id: "base:1", apps: ["jupyter", "files"] },
      { id: "plain:1", apps: ["jupyter"] },
    ],
    gpuTypes: [{ type: "h200", total: 2 }],
    partitions: [{ name: "gpu", isDefault: true, up: true, nodes: 2 }],
  });
  return Object.assign(sample, more);
}

type SpecFields = Partial<Omit<JobSpec, "$typeName">>;
const job = (id: string, state: JobState, spec: SpecFields = {}) =>
  sampleJob(id, state, {
    spec: Object.assign(
      create(JobSpecSchema, { name: id, app: "jupyter", image: "base:1" }),
      spec,
    ),
    nodes: ["n1"],
  });
const session = (id: string, state: JobState) =>
  job(id, state, { app: "files", name: "files" });
const ids = (found: readonly { job: { id: string } }[]) =>
  found.map((each) => each.job.id);

describe("the jobs that open files", () => {
  it("are none that are not ready", () => {
    const jobs = [PENDING, STARTING, STOPPING, ENDED].map((state) =>
      job(`in${state}`, state),
    );
    expect(openableJobs(jobs, cluster())).toEqual([]);
  });

  it("are none without an app: batch jobs, additional nodes, image builds", () => {
    const jobs = [
      job("batch", READY, { batch: create(BatchSpecSchema) }),
      job("linked", READY, { linkedTo: "a" }),
      job("build", READY, { builds: "torch:1" }),
    ];
    expect(openableJobs(jobs, cluster())).toEqual([]);
  });

  it("are none whose image lacks the app, or that cannot start it", () => {
    const without = job("without", READY);
    without.apps = [
      create(JobAppSchema, { app: "files", state: JobAppState.UNAVAILABLE }),
    ];
    const jobs = [job("plain", READY, { image: "plain:1" }), without];
    expect(openableJobs(jobs, cluster())).toEqual([]);
  });

  it("are ready ones with another app and those started for files", () => {
    const jobs = [
      session("new", READY),
      job("lab", READY),
      job("environment", READY, { image: "", environment: "torch" }),
    ];
    const found = openableJobs(jobs, cluster());
    expect(ids(found)).toEqual(["new", "lab", "environment"]);
    expect(found[0]?.app).toMatchObject({ id: "files", name: "Files" });
  });

  it("are known without the catalog if they were started for files", () => {
    const jobs = [session("files", READY), job("lab", READY)];
    expect(ids(openableJobs(jobs, { apps: [], images: [] }))).toEqual([
      "files",
    ]);
  });

  it("are told apart by name and node", () => {
    expect(jobLabel(job("train", READY))).toBe("train · n1");
    const unnamed = job("a1", READY, { name: "" });
    unnamed.nodes = [];
    expect(jobLabel(unnamed)).toBe("a1");
  });
});

describe("a file session", () => {
  it("is not an ended job, and not a job with another app", () => {
    const jobs = [session("old", ENDED), job("lab", READY)];
    expect(fileSessions(jobs)).toEqual([]);
  });

  it("can be opened before it is ready, but not while it stops", () => {
    const jobs = [
      session("stopping", STOPPING),
      session("pending", PENDING),
      session("starting", STARTING),
      session("ready", READY),
    ];
    expect(fileSessions(jobs)).toHaveLength(4);
    expect(ids(comingSessions(jobs, cluster()))).toEqual([
      "pending",
      "starting",
    ]);
  });

  it("has failed only if the newest one did", () => {
    const failed = session("failed", ENDED);
    failed.end = JobEnd.FAILED;
    const stopped = session("stopped", ENDED);
    stopped.end = JobEnd.STOPPED;
    expect(failedSession([])).toBeUndefined();
    expect(failedSession([stopped, failed])).toBeUndefined();
    expect(failedSession([job("lab", ENDED), failed])).toBe(failed);
  });
});

describe("the offer of files", () => {
  it("is missing without the app", () => {
    const apps = cluster().apps.slice(0, 1);
    expect(offerOf(cluster({ apps }))).toBe("no-app");
  });

  it("is missing without an image that has the app", () => {
    const images = cluster().images.slice(1);
    expect(offerOf(cluster({ images }))).toBe("no-image");
    expect(offerOf(cluster({ images: [] }))).toBe("no-image");
  });

  it("comes with an image that is being built", () => {
    const { pendingImages } = create(GetClusterResponseSchema, {
      pendingImages: [{ id: "base:2", apps: ["files"] }],
    });
    expect(offerOf(cluster({ images: [], pendingImages }))).toBe(
      "image-pending",
    );
  });

  it("needs no image where jobs may run in the node's own system", () => {
    const { images } = create(GetClusterResponseSchema, {
      images: [{ id: "none" }],
    });
    expect(offerOf(cluster({ images }))).toBe("offered");
    expect(offerOf(cluster())).toBe("offered");
  });
});

describe("the job that is started for files", () => {
  it("takes no GPU and little else", () => {
    const { spec, parseErrors } = formToSpec(sessionForm(cluster()));
    expect(parseErrors).toEqual([]);
    expect(spec).toMatchObject({
      name: "files",
      app: "files",
      nodes: 1,
      gpusPerNode: 0,
      gpuType: "",
      cpusPerNode: 1,
      memoryPerNodeMib: 1024n,
      image: "",
      partition: "",
    });
  });

  it("leaves the walltime to the server, which knows every limit", () => {
    const { spec } = formToSpec(sessionForm(cluster()));
    expect(spec.walltime).toBeUndefined();
  });

  it("uses another partition if the default one starts no jobs", () => {
    const { partitions } = create(GetClusterResponseSchema, {
      partitions: [
        { name: "gpu", isDefault: true, up: false, nodes: 2 },
        { name: "empty", up: true, nodes: 0 },
        { name: "cpu", up: true, nodes: 4 },
      ],
    });
    expect(sessionForm(cluster({ partitions })).partition).toBe("cpu");
    expect(sessionForm(cluster({ partitions: [] })).partition).toBe("");
  });
});

describe("the address of a folder", () => {
  it("is empty for the home directory, which the app shows by itself", () => {
    expect(folderFragment("")).toBe("");
  });

  it("encodes each name, and keeps the slashes", () => {
    expect(folderFragment("/home/ada/a b#?%")).toBe(
      "#/home/ada/a%20b%23%3F%25",
    );
    expect(folderFragment("/data/Müller")).toBe("#/data/M%C3%BCller");
  });
});
