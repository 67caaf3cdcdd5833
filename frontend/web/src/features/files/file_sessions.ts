// The jobs in which people open their files, and the small job that is started
// for it.
import type { GetClusterResponse } from "#proto/cluster";
import { type Job, JobState } from "#proto/jobs";
import { awaitsImage, imagesWith } from "../images/app_images";
import { isLinkedJob } from "../jobs/additional_nodes/linked_jobs";
import { isBatch } from "../jobs/array_labels";
import {
  type CardApp,
  type Catalog,
  mainApp,
  otherApps,
} from "../jobs/job_apps";
import { hasFailed, mayOpenEarly } from "../jobs/job_labels";
import { isLive } from "../jobs/job_list_state";
import { blankForm, type StartForm } from "../start/form/start_form";

// The app carme-files in the catalog of apps.
export const kFilesApp = "files";

export interface FileJob {
  readonly job: Job;
  readonly app: CardApp; // the app that opens the files
}

// The ready jobs that offer the app, in the order of `jobs`.
export function openableJobs(
  jobs: readonly Job[],
  catalog: Catalog,
): readonly FileJob[] {
  return jobs
    .filter(({ state }) => state === JobState.READY)
    .filter((job) => !isLinkedJob(job) && !isBatch(job) && !job.spec?.builds)
    .flatMap((job) => {
      const apps = [mainApp(job, catalog), ...otherApps(job, catalog)];
      const app = apps.find(({ id }) => id === kFilesApp);
      return app ? [{ job, app }] : [];
    });
}

function isFileSession(job: Job): boolean {
  return job.spec?.app === kFilesApp && !isBatch(job);
}

// The active jobs that were started for files.
export function fileSessions(jobs: readonly Job[]): readonly Job[] {
  return jobs.filter((job) => isLive(job) && isFileSession(job));
}

// The sessions that are not ready yet. Their tabs show the progress, then the
// files.
export function comingSessions(
  jobs: readonly Job[],
  catalog: Catalog,
): readonly FileJob[] {
  return fileSessions(jobs)
    .filter(mayOpenEarly)
    .map((job) => ({ job, app: mainApp(job, catalog) }));
}

// The last file session, if it failed.
export function failedSession(jobs: readonly Job[]): Job | undefined {
  const newest = jobs.find(isFileSession); // the newest job is the first
  return newest?.state === JobState.ENDED && hasFailed(newest)
    ? newest
    : undefined;
}

// "image-pending": an image with the app is being built.
export type Offer = "offered" | "image-pending" | "no-image" | "no-app";

// Whether a job with the app can be started.
export function offerOf(
  cluster: Pick<GetClusterResponse, "apps" | "images" | "pendingImages">,
): Offer {
  if (!cluster.apps.some(({ id }) => id === kFilesApp)) return "no-app";
  if (imagesWith(kFilesApp, cluster.images).length > 0) return "offered";
  return awaitsImage(kFilesApp, cluster) ? "image-pending" : "no-image";
}

const kMemory = "1 GiB"; // the app itself takes a few MiB; the rest is for others

// The smallest job with the app. The server chooses the first image that has the
// app, and the walltime: one hour, or the longest that is permitted.
export function sessionForm(cluster: GetClusterResponse): StartForm {
  return {
    ...blankForm(cluster),
    app: kFilesApp,
    name: kFilesApp,
    gpusPerNode: "0",
    cpusPerNode: "1",
    memoryPerNodeMib: kMemory,
    walltime: "",
    partition: partitionOf(cluster),
  };
}

// Empty, for Slurm's default partition, unless that starts no jobs now.
function partitionOf({ partitions }: GetClusterResponse): string {
  const standard = partitions.find(({ isDefault }) => isDefault);
  if (standard?.up) return "";
  return partitions.find(({ up, nodes }) => up && nodes > 0)?.name ?? "";
}

// The address of a folder in the app, after the app's own; empty: the app shows
// the home directory.
export function folderFragment(path: string): string {
  if (!path) return "";
  return `#${path.split("/").map(encodeURIComponent).join("/")}`;
}

// "train · n1": for the choice among several jobs.
export function jobLabel({ id, spec, nodes }: Job): string {
  return [spec?.name || id, nodes[0]].filter(Boolean).join(" · ");
}
