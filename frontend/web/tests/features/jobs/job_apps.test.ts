import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GetClusterResponseSchema } from "#proto/cluster";
import {
  JobAppSchema,
  JobAppState,
  JobSpecSchema,
  JobState,
} from "#proto/jobs";
import {
  kEmptyCatalog,
  mainApp,
  otherApps,
  startedApps,
} from "../../../src/features/jobs/job_apps";
import { sampleJob } from "./sample_job";

const catalog = create(GetClusterResponseSchema, {
  apps: [
    { id: "jupyter", name: "JupyterLab", icon: "jupyter" },
    { id: "vscode", name: "VS Code", icon: "code" },
    { id: "shell", name: "Shell", icon: "terminal" },
  ],
  images: [
    { id: "base:1", apps: ["shell", "vscode", "jupyter"] },
    { id: "plain:1", apps: ["jupyter"] },
    { id: "none" },
  ],
});

function job(image: string, ...started: [string, JobAppState, string?][]) {
  return sampleJob("a", JobState.READY, {
    spec: create(JobSpecSchema, { app: "jupyter", image }),
    apps: started.map(([app, state, detail = ""]) =>
      create(JobAppSchema, { app, state, detail }),
    ),
  });
}
const others = (...of: Parameters<typeof job>) =>
  otherApps(job(...of), catalog).map(({ id, status }) => [id, status]);

const { STARTING, READY, FAILED, UNSPECIFIED, UNAVAILABLE } = JobAppState;

describe("the apps on a job's card", () => {
  it("are not offered for an unknown image", () => {
    expect(others("gone:1")).toEqual([]);
    expect(otherApps(job("base:1"), kEmptyCatalog)).toEqual([]);
  });

  it("exclude data copies", () => {
    const copying = job("gone:1", ["stage-in", STARTING], ["shell", READY]);
    expect(otherApps(copying, catalog).map(({ id }) => id)).toEqual(["shell"]);
    expect(startedApps(copying, catalog).map(({ id }) => id)).toEqual([
      "shell",
    ]);
  });

  it("are not offered if the image lacks them", () => {
    expect(others("plain:1")).toEqual([]);
  });

  it("are not offered if their required file is missing", () => {
    const without = job("base:1", ["shell", UNAVAILABLE, "no file"]);
    expect(otherApps(without, catalog).map(({ id }) => id)).toEqual(["vscode"]);
    expect(startedApps(without, catalog)).toEqual([]);
  });

  it("are all offered in an environment", () => {
    const inOne = sampleJob("a", JobState.READY, {
      spec: create(JobSpecSchema, { app: "jupyter", environment: "torch" }),
      apps: [],
    });
    expect(otherApps(inOne, catalog).map(({ id }) => id)).toEqual([
      "vscode",
      "shell",
    ]);
  });

  it("are in the catalog's order", () => {
    expect(others("base:1")).toEqual([
      ["vscode", "idle"],
      ["shell", "idle"],
    ]);
  });

  it("are all offered if the image has no list", () => {
    expect(others("none")).toHaveLength(2);
  });

  it("show their status", () => {
    expect(others("base:1", ["vscode", STARTING], ["shell", READY])).toEqual([
      ["vscode", "starting"],
      ["shell", "ready"],
    ]);
    expect(others("base:1", ["vscode", UNSPECIFIED])[0]).toEqual([
      "vscode",
      "idle",
    ]);
  });

  it("include running apps that the catalog no longer has", () => {
    expect(others("gone:1", ["rstudio", READY])).toEqual([
      ["rstudio", "ready"],
    ]);
  });

  it("show why an app failed", () => {
    const failed = job("base:1", ["jupyter", FAILED, "it ended: killed"]);
    expect(mainApp(failed, catalog)).toMatchObject({
      name: "JupyterLab",
      status: "failed",
      detail: "it ended: killed",
    });
  });

  it("handle an unknown state", () => {
    expect(others("base:1", ["shell", 9 as JobAppState])[1]).toEqual([
      "shell",
      "idle",
    ]);
  });

  it("have a log once started", () => {
    const started = job("base:1", ["jupyter", READY], ["shell", FAILED]);
    expect(startedApps(started, catalog).map(({ name }) => name)).toEqual([
      "JupyterLab",
      "Shell",
    ]);
  });
});
