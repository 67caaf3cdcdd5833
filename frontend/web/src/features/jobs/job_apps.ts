// The apps on a job's card.
import type { App, GetClusterResponse } from "#proto/cluster";
import { type Job, type JobApp, JobAppState } from "#proto/jobs";
import { hasApp } from "../images/app_images";

export type AppStatus = "idle" | "starting" | "ready" | "failed";

export interface CardApp {
  readonly id: string;
  readonly name: string;
  readonly icon: string; // name in the catalog
  readonly description: string;
  readonly status: AppStatus;
  readonly detail: string; // why it failed; may be empty
}

export type Catalog = Pick<GetClusterResponse, "apps" | "images">;

export const kEmptyCatalog: Catalog = { apps: [], images: [] };

const kStatuses: Record<JobAppState, AppStatus> = {
  [JobAppState.UNSPECIFIED]: "idle",
  [JobAppState.STARTING]: "starting",
  [JobAppState.READY]: "ready",
  [JobAppState.FAILED]: "failed",
  [JobAppState.UNAVAILABLE]: "idle",
};

// The backend reports the copying of a job's data and the vetting of its nodes as
// if they were apps.
export const kStageIn = "stage-in";
export const kStageOut = "stage-out";
export const kVetting = "vetting";

const isApp = ({ app }: JobApp) =>
  app !== kStageIn && app !== kStageOut && app !== kVetting;

// The app that the job was started for.
export function mainApp(job: Job, { apps }: Catalog): CardApp {
  const id = job.spec?.app ?? "";
  return cardApp(id, apps, job.apps);
}

// The other apps of the image in the catalog's order, or all apps in an
// environment; then running apps that the catalog no longer has.
export function otherApps(job: Job, { apps, images }: Catalog): CardApp[] {
  const image = images.find(({ id }) => id === job.spec?.image);
  const offered = apps.filter(({ id }) =>
    image ? hasApp(image, id) : job.spec?.environment,
  );
  const ids = new Set([
    ...offered.map(({ id }) => id),
    ...job.apps.filter(isApp).map(({ app }) => app),
  ]);
  ids.delete(job.spec?.app ?? "");
  for (const { app, state } of job.apps) {
    if (state === JobAppState.UNAVAILABLE) ids.delete(app);
  }
  return [...ids].map((id) => cardApp(id, apps, job.apps));
}

// The apps that may have a log.
export function startedApps(job: Job, { apps }: Catalog): CardApp[] {
  return job.apps
    .filter(isApp)
    .filter(({ state }) => state !== JobAppState.UNAVAILABLE)
    .map(({ app }) => cardApp(app, apps, job.apps));
}

function cardApp(
  id: string,
  apps: readonly App[],
  started: readonly JobApp[],
): CardApp {
  const known = apps.find((app) => app.id === id);
  const seen = started.find(({ app }) => app === id);
  return {
    id,
    name: known?.name || id,
    icon: known?.icon ?? "",
    description: known?.description ?? "",
    status: seen ? (kStatuses[seen.state] ?? "idle") : "idle",
    detail: seen?.detail ?? "",
  };
}
