// The label for a start estimate, and the form values of an alternative.
import type { StartEstimate, JobSpec } from "#proto/jobs";
import { formatMinutes } from "../../../lib/format/duration";
import { formatMoment, msOf } from "../../../lib/format/moment";
import type { FieldName } from "./start_form";
import { messages } from "../messages";

export interface StartEstimateLabel {
  readonly text: string;
  readonly tone: "good" | "wait" | "neutral";
  readonly icon: "check" | "clock" | "alert";
}

// undefined: no estimate.
export function startEstimateLabel(
  estimate: StartEstimate,
  now: number,
): StartEstimateLabel | undefined {
  const { problem, sentence } = estimate;
  if (problem) return { text: problem, tone: "neutral", icon: "alert" };
  if (!sentence) return undefined;
  if (estimate.now) return { text: sentence, tone: "good", icon: "check" };
  const start = msOf(estimate.startsAt);
  // The server does not know the browser's time zone.
  const moment =
    start !== undefined && start > now + 60_000
      ? ` ${messages.expectedAtAbout(formatMoment(start, now))}`
      : "";
  return { text: sentence + moment, tone: "wait", icon: "clock" };
}

// The fields to change and their new values.
export function fieldsOf(
  instead: JobSpec,
): readonly (readonly [FieldName, string])[] {
  const minutes = Number(instead.walltime?.seconds ?? 0n) / 60;
  return [
    ["gpusPerNode", String(instead.gpusPerNode)],
    ["nodes", String(instead.nodes)],
    ...(minutes > 0 ? [["walltime", formatMinutes(minutes)] as const] : []),
  ];
}
