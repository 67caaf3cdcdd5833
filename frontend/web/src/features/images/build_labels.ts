// Labels for images that a program of the site builds.
import type { PendingImage } from "#proto/cluster";
import type { ImageBuildStatus } from "#proto/image_build";
import { formatMinutes } from "../../lib/format/duration";
import { msOf } from "../../lib/format/moment";

// The progress of a build: "step 1 of 3: installing packages, 40 %, started
// 4 min ago"; "" if nothing is known.
export function progressOf(
  build: ImageBuildStatus | undefined,
  now: number,
): string {
  if (!build) return "";
  const { step, steps, message, percent } = build;
  const startedMs = msOf(build.startedAt);
  const minutes =
    startedMs === undefined ? 0 : Math.floor((now - startedMs) / 60_000);
  const place = steps > 0 ? `step ${step} of ${steps}` : "";
  const parts = [
    [place, message].filter((part) => part !== "").join(": "),
    percent === undefined ? "" : `${percent} %`,
    minutes > 0 ? `started ${formatMinutes(minutes)} ago` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

// What a pending image means for a job with these images to choose from.
export function pendingLabel(
  { id, build, problem }: PendingImage,
  images: readonly { readonly id: string }[],
  now: number,
): string {
  const progress = progressOf(build, now);
  const state = problem
    ? `Image ${id} could not be built: ${problem}.`
    : `Image ${id} is being built${progress && ` (${progress})`}.`;
  const first = images[0];
  if (!first) return `${state} No other image is suitable for this job.`;
  const instead =
    first.id === "none"
      ? "without an image, with the programs of the node only"
      : `in ${first.id}`;
  return problem
    ? `${state} Jobs start ${instead}.`
    : `${state} Until it is ready, jobs start ${instead}.`;
}
