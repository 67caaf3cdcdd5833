// Labels for images that a program of the site builds.
import type { PendingImage } from "#proto/cluster";
import type { ImageBuildStatus } from "#proto/image_build";
import { formatMinutes } from "../../lib/format/duration";
import { msOf } from "../../lib/format/moment";
import { messages } from "#messages/images";

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
  const place = steps > 0 ? messages.buildStep({ step, steps }) : "";
  const parts = [
    [place, message].filter((part) => part !== "").join(": "),
    percent === undefined ? "" : messages.percentBuilt({ percent }),
    minutes > 0 ? messages.buildStarted({ time: formatMinutes(minutes) }) : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function buildingLabel(id: string, progress: string): string {
  return progress === ""
    ? messages.pendingBuilding({ id })
    : messages.pendingBuildingAt({ id, progress });
}

// What a pending image means for a job with these images to choose from.
export function pendingLabel(
  { id, build, problem }: PendingImage,
  images: readonly { readonly id: string }[],
  now: number,
): string {
  const state = problem
    ? messages.pendingFailed({ id, problem })
    : buildingLabel(id, progressOf(build, now));
  const first = images[0];
  if (!first) return messages.pendingNoOther({ state });
  if (first.id === "none") {
    return problem
      ? messages.failedStartOnHost({ state })
      : messages.pendingStartOnHost({ state });
  }
  return problem
    ? messages.failedStartIn({ state, id: first.id })
    : messages.pendingStartIn({ state, id: first.id });
}
