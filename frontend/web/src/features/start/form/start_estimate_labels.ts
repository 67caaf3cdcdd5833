// The label for a start estimate, and the form values of an alternative.
import type { StartEstimate, JobSpec } from "#proto/jobs";
import { formatMinutes } from "../../../lib/format/duration";
import { formatMoment, msOf } from "../../../lib/format/moment";
import type { FieldName } from "./start_form";
import { hasServerTexts } from "../../../lib/language/locale";
import { messages } from "#messages/start";

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
  if (estimate.now) {
    return { text: startsNowLabel(estimate), tone: "good", icon: "check" };
  }
  const start = msOf(estimate.startsAt);
  // The server does not know the browser's time zone.
  const moment =
    start !== undefined && start > now + 60_000
      ? messages.expectedAtAbout({ moment: formatMoment(start, now) })
      : "";
  const text =
    moment && !hasServerTexts()
      ? moment
      : [sentence, moment].filter(Boolean).join(" ");
  return { text, tone: "wait", icon: "clock" };
}

function startsNowLabel({ sentence, nodes }: StartEstimate): string {
  if (hasServerTexts()) return sentence;
  return messages.startsNow({ count: nodes.length, node: nodes[0] ?? "" });
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
