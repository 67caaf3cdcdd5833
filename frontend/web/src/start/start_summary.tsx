// What Start would ask for, every default filled in.
import type { JobSpec } from "#proto/jobs";
import { imageName } from "../apps/images";
import { formatMinutes } from "../format/duration";
import { sizeWords } from "../jobs/job_words";

export function StartSummary(props: {
  spec: JobSpec | undefined;
  blocked: boolean;
  insistent: boolean; // Start was pressed although something is wrong
}) {
  const { spec, blocked, insistent } = props;
  if (blocked) {
    return (
      <p class="start-summary start-summary-bad" data-insistent={insistent}>
        This cannot be started as it stands. What to change is written at the
        fields.
      </p>
    );
  }
  if (!spec) return <div class="skeleton skeleton-line" aria-hidden="true" />;
  const parts = [
    spec.environment || (spec.image && imageName(spec.image)),
    ...sizeWords(spec),
    spec.partition,
    spec.walltime && formatMinutes(Number(spec.walltime.seconds) / 60),
  ];
  return (
    <p class="start-summary" data-test="start-summary">
      {parts.filter(Boolean).join(" · ")}
    </p>
  );
}
