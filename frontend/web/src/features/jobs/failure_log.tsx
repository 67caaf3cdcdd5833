// Of a job that went wrong: what may help, and what it wrote last.
import type { Job } from "#proto/jobs";

export function LastWords({ job }: { job: Job }) {
  const { advice, lastLines } = job;
  if (!advice && !lastLines) return null;
  return (
    <div class="last-words">
      {advice && (
        <p class="sentence" data-test="job-advice">
          {advice}
        </p>
      )}
      {lastLines && (
        <details>
          <summary>
            Its last lines<span class="sr-only"> of {job.spec?.name}</span>
          </summary>
          <pre data-test="job-last-lines">{lastLines}</pre>
        </details>
      )}
    </div>
  );
}
