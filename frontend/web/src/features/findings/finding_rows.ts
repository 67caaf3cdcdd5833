// What rules found in the samples of a job, as texts.
import { type JobFinding, JobFinding_Severity } from "#proto/findings";
import { formatRunTime } from "../../lib/format/duration";
import { formatMoment } from "../../lib/format/moment";
import { formatMeasured } from "../../lib/format/number";
import { ruleTexts } from "./rule_texts";
import { messages } from "#messages/findings";

export interface FindingRow {
  readonly key: string;
  readonly title: string;
  readonly severity: string;
  readonly tone: "bad" | "wait" | "plain";
  readonly where: string; // "node n1 · gpu 0"; empty: the whole job
  readonly when: string;
  readonly samples: readonly string[];
  readonly remedy: string;
  readonly rule: string;
  readonly isMuted: boolean;
  readonly isFalseAlarm: boolean;
}

export function findingRow(finding: JobFinding, now: number): FindingRow {
  const labels = Object.entries(finding.labels)
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([name, value]) => messages.labelled({ name, value }));
  return {
    key: [finding.rule, ...labels].join(" "),
    ...ruleTexts(finding),
    ...severityOf(finding.severity),
    where: labels.join(" · "),
    when: messages.findingAt({
      from: formatMoment(Number(finding.fromMs), now),
      held: formatRunTime(Number(finding.heldS) * 1000),
    }),
    samples: finding.samples.map(({ subject, limit, mean }) =>
      limit
        ? messages.sampleOfRule({ subject, mean: formatMeasured(mean), limit })
        : subject,
    ),
    rule: finding.rule,
    isMuted: finding.muted,
    isFalseAlarm: finding.falseAlarm,
  };
}

function severityOf(
  severity: JobFinding_Severity,
): Pick<FindingRow, "severity" | "tone"> {
  switch (severity) {
    case JobFinding_Severity.ERROR:
      return { severity: messages.error, tone: "bad" };
    case JobFinding_Severity.WARNING:
      return { severity: messages.warning, tone: "wait" };
    default:
      return { severity: messages.info, tone: "plain" };
  }
}
