// Small plots of what a running job uses now. Nothing without data.
import { useMemo } from "preact/hooks";
import { type Job, JobState } from "#proto/jobs";
import { jobHref } from "../../../routes/route";
import { useNow } from "../../../ui/use_now";
import { sparkLines, sparkPaths } from "./spark_lines";
import { useSparkGrid } from "./use_spark_grid";
import { messages } from "#messages/metrics";

export function JobSparks({ job }: { job: Job }) {
  const { id, cluster, spec } = job;
  const isRunning =
    job.startedAt !== undefined && job.state < JobState.STOPPING;
  const { grid, version } = useSparkGrid({ id, cluster, isRunning });
  const cpus = (spec?.nodes ?? 0) * (spec?.cpusPerNode ?? 0);
  const now = useNow(10_000);
  const lines = useMemo(
    () => (grid && version >= 0 ? sparkLines(grid, cpus, now) : []),
    [grid, version, cpus, now],
  );
  if (lines.length === 0) return null;
  return (
    <a
      class="sparks"
      href={jobHref(id, "tab=metrics")}
      data-testid="job-sparks"
    >
      <span class="sr-only">
        {messages.usageOf({ name: spec?.name ?? id })}
      </span>
      {lines.map(({ id: key, label, text, values }) => (
        <span key={key} class="spark" data-testid={`spark-${key}`}>
          <span class="muted small">{label}</span>
          <svg
            viewBox="0 0 100 20"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {sparkPaths(values).map((path) => (
              <path key={path} d={path} />
            ))}
          </svg>
          <span class="small">{text}</span>
        </span>
      ))}
    </a>
  );
}
