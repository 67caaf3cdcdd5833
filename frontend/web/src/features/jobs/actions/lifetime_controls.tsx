// Buttons to hold, release, extend and keep a job alive, where possible.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../../api/core";
import { failureOf } from "../../../api/failure";
import { useSession } from "../../../session/session_context";
import { Icon } from "../../../ui/icon";
import { useNow } from "../../../ui/use_now";
import { useReport } from "../../../ui/toasts";
import {
  endsSoonLabel,
  extendableMinutes,
  idleLabel,
  mayHold,
  mayRelease,
  overLimitLabel,
  pendingExtensionLabel,
} from "./lifetime_labels";
import { messages } from "#messages/jobs";

interface LifetimeProps {
  readonly job: Job;
  onChanged(job: Job): void;
  onExtend(): void;
}

// Runs a call that returns the job. Shows a failure as a toast.
function useJobAction(onChanged: (job: Job) => void) {
  const { endIfOver } = useSession();
  const report = useReport();
  const [busy, setBusy] = useState(false);
  const run = async (
    what: string,
    call: () => Promise<{ job?: Job | undefined }>,
  ) => {
    if (busy) return;
    setBusy(true);
    try {
      const { job } = await call();
      if (job) onChanged(job);
    } catch (error) {
      const failure = failureOf(error);
      if (!endIfOver(failure)) report(what, failure);
    } finally {
      setBusy(false);
    }
  };
  return { busy, run };
}

// Buttons next to Log and Stop.
export function LifetimeButtons(props: {
  job: Job;
  onChanged(job: Job): void;
}) {
  const { job, onChanged } = props;
  const { busy, run } = useJobAction(onChanged);
  const name = job.spec?.name ?? job.id;
  return (
    <>
      {mayHold(job) && (
        <button
          class="button"
          type="button"
          data-testid="job-hold"
          aria-disabled={busy}
          onClick={() =>
            run(messages.cannotHold({ name }), () =>
              clientsOf(job.cluster).jobs.holdJob({ jobId: job.id }),
            )
          }
        >
          {messages.hold} <span class="sr-only">{name}</span>
        </button>
      )}
      {mayRelease(job) && (
        <button
          class="button button-primary"
          type="button"
          data-testid="job-unhold"
          aria-disabled={busy}
          onClick={() =>
            run(messages.cannotRelease({ name }), () =>
              clientsOf(job.cluster).jobs.releaseJob({ jobId: job.id }),
            )
          }
        >
          {messages.release} <span class="sr-only">{name}</span>
        </button>
      )}
    </>
  );
}

// Urgent messages: the job ends soon, or is idle.
export function LifetimeBanners(props: LifetimeProps) {
  const now = useNow(1000);
  const { job, onExtend } = props;
  const endsSoon = endsSoonLabel(job, now);
  const idle = idleLabel(job, now);
  const pending = pendingExtensionLabel(job);
  const overLimit = overLimitLabel(job, now);
  if (!endsSoon && !idle && !pending && !overLimit) return null;
  return (
    <div class="job-lifetime">
      {endsSoon && (
        <div class="banner" role="status" data-testid="job-ends-soon">
          <Icon name="clock" />
          <p>{endsSoon}</p>
          {extendableMinutes(job) > 0 && (
            <button
              class="button button-small"
              type="button"
              data-testid="ends-soon-extend"
              onClick={onExtend}
            >
              {messages.extend}
            </button>
          )}
        </div>
      )}
      {pending && (
        <div class="banner" role="status" data-testid="job-extension-pending">
          <Icon name="clock" />
          <p>{pending}</p>
        </div>
      )}
      {overLimit && (
        <div class="banner" role="status" data-testid="job-over-limit">
          <Icon name="clock" />
          <p>{overLimit}</p>
        </div>
      )}
      {idle && <IdleBanner {...props} text={idle} />}
    </div>
  );
}

function IdleBanner({
  job,
  text,
  onChanged,
}: LifetimeProps & { text: string }) {
  const { busy, run } = useJobAction(onChanged);
  return (
    <div class="banner" role="status" data-testid="job-idle">
      <Icon name="moon" />
      <p>{text}</p>
      <button
        class="button button-small"
        type="button"
        data-testid="job-keep-alive"
        aria-disabled={busy}
        onClick={() =>
          run(
            messages.cannotKeepRunning({ name: job.spec?.name ?? job.id }),
            () => clientsOf(job.cluster).jobs.keepAliveJob({ jobId: job.id }),
          )
        }
      >
        {messages.keepRunning}
      </button>
    </div>
  );
}
