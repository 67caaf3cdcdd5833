// Of a job that went wrong: what may help, and what it wrote last.
import type { Job } from "#proto/jobs";

export function FailureLog({ job }: { job: Job }) {
  const { advice, logTail } = job;
  if (!advice && !logTail) return null;
  return (
    <div class="failure-log">
      {advice && (
        <p class="sentence" data-testid="job-advice">
          {advice}
        </p>
      )}
      {logTail && (
        <details>
          <summary>
            Its last lines<span class="sr-only"> of {job.spec?.name}</span>
          </summary>
          <pre data-testid="job-log-tail">{logTail}</pre>
        </details>
      )}
    </div>
  );
}
