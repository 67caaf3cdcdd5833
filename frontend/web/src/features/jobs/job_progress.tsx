// The remaining walltime, to the second.
import type { Job } from "#proto/jobs";
import { formatCountdown, formatMinutes } from "../../lib/format/duration";
import { formatMoment } from "../../lib/format/moment";
import { useNow } from "../../ui/use_now";
import { walltimeProgress } from "./walltime_progress";
import { messages } from "./messages";

const kMinute = 60_000;

export function JobProgress({ job }: { job: Job }) {
  const now = useNow(1000);
  const progress = walltimeProgress(job, now);
  if (!progress) return null;
  const left = formatCountdown(progress.leftMs);
  return (
    <div class="job-progress" data-near-end={progress.nearEnd}>
      <svg
        width="100%"
        height="6"
        role="progressbar"
        aria-label={messages.walltimeUsed}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(progress.percent)}
        aria-valuetext={messages.timeLeft(left)}
      >
        <rect class="track" width="100%" height="6" rx="3" />
        <rect
          class="fill"
          width={`${progress.percent.toFixed(2)}%`}
          height="6"
          rx="3"
        />
      </svg>
      <p>
        <strong class="countdown">{left}</strong> {messages.left}
        <span class="muted">
          {` · ${messages.endsAt(formatMoment(progress.endsAtMs, now))}`}
          {progress.earlyMs > 0 && (
            <span data-testid="ends-early">
              {` · ${messages.appsEndEarlier(formatMinutes(Math.ceil(progress.earlyMs / kMinute)))}`}
            </span>
          )}
        </span>
      </p>
    </div>
  );
}
