// The remaining walltime, to the second.
import type { Job } from "#proto/jobs";
import { formatCountdown, formatMinutes } from "../../lib/format/duration";
import { formatMoment } from "../../lib/format/moment";
import { extendableMinutes } from "./actions/lifetime_labels";
import { useNow } from "../../ui/use_now";
import { walltimeProgress } from "./walltime_progress";
import { messages } from "#messages/jobs";

const kMinute = 60_000;

export function JobProgress(props: {
  job: Job;
  onExtend?(): void; // absent: this user cannot extend it
}) {
  const { job, onExtend } = props;
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
        aria-valuetext={messages.timeLeft({ duration: left })}
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
          {` · ${messages.endsAt({ moment: formatMoment(progress.endsAtMs, now) })}`}
          {progress.earlyMs > 0 && (
            <span data-testid="ends-early">
              {` · ${messages.appsEndEarlier({ duration: formatMinutes(Math.ceil(progress.earlyMs / kMinute)) })}`}
            </span>
          )}
        </span>
        {onExtend && extendableMinutes(job) > 0 && (
          <>
            {" "}
            <button
              class="link-button"
              type="button"
              data-testid="job-extend"
              onClick={onExtend}
            >
              {messages.extend}{" "}
              <span class="sr-only">{job.spec?.name ?? job.id}</span>
            </button>
          </>
        )}
      </p>
    </div>
  );
}
