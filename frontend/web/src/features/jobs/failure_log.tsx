// Advice and the last log lines of a failed job.
import type { Job } from "#proto/jobs";
import { messages } from "#messages/jobs";

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
            {messages.lastLogLines}
            <span class="sr-only">
              {" "}
              {messages.ofName({ name: job.spec?.name ?? "" })}
            </span>
          </summary>
          <pre data-testid="job-log-tail">{logTail}</pre>
        </details>
      )}
    </div>
  );
}
