// Holding, releasing, extending and keeping a job: one button each, where it can
// be done.
import { useState } from "preact/hooks";
import { type Job, JobState } from "#proto/jobs";
import { jobClient } from "../../../api/core";
import { failureOf } from "../../../api/failure";
import { useSession } from "../../../session/session_context";
import { Icon } from "../../../ui/icon";
import { useNow } from "../../../ui/use_now";
import { useReport } from "../../../ui/toasts";
import {
  endsSoonWords,
  extendableMinutes,
  idleWords,
  mayHold,
  mayRelease,
  overLimitWords,
  pendingExtensionWords,
} from "./lifetime_labels";

interface LifeProps {
  readonly job: Job;
  onChanged(job: Job): void;
  onExtend(): void;
}

// One call that answers with the job; what goes wrong is a toast.
function useJobAct(onChanged: (job: Job) => void) {
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

// Beside Log and Stop.
export function LifeButtons({ job, onChanged, onExtend }: LifeProps) {
  const { busy, run } = useJobAct(onChanged);
  const name = job.spec?.name ?? job.id;
  return (
    <>
      {mayHold(job) && (
        <button
          class="button"
          type="button"
          data-test="job-hold"
          aria-disabled={busy}
          onClick={() =>
            run(`${name} was not held`, () =>
              jobClient.holdJob({ jobId: job.id }),
            )
          }
        >
          Hold <span class="sr-only">{name}</span>
        </button>
      )}
      {mayRelease(job) && (
        <button
          class="button button-primary"
          type="button"
          data-test="job-unhold"
          aria-disabled={busy}
          onClick={() =>
            run(`${name} was not released`, () =>
              jobClient.releaseJob({ jobId: job.id }),
            )
          }
        >
          Release <span class="sr-only">{name}</span>
        </button>
      )}
      {extendableMinutes(job) > 0 && job.state !== JobState.STOPPING && (
        <button
          class="button"
          type="button"
          data-test="job-extend"
          onClick={onExtend}
        >
          Extend <span class="sr-only">{name}</span>
        </button>
      )}
    </>
  );
}

// What must be read now: the end is near, or nobody uses it.
export function LifeBanners(props: LifeProps) {
  const now = useNow(1000);
  const { job, onExtend } = props;
  const endsSoon = endsSoonWords(job, now);
  const idle = idleWords(job, now);
  const pending = pendingExtensionWords(job);
  const overLimit = overLimitWords(job, now);
  if (!endsSoon && !idle && !pending && !overLimit) return null;
  return (
    <div class="job-life">
      {endsSoon && (
        <div class="banner" role="status" data-test="job-ends-soon">
          <Icon name="clock" />
          <p>{endsSoon}</p>
          {extendableMinutes(job) > 0 && (
            <button
              class="button button-small"
              type="button"
              data-test="ends-soon-extend"
              onClick={onExtend}
            >
              Extend
            </button>
          )}
        </div>
      )}
      {pending && (
        <div class="banner" role="status" data-test="job-extension-pending">
          <Icon name="clock" />
          <p>{pending}</p>
        </div>
      )}
      {overLimit && (
        <div class="banner" role="status" data-test="job-over-limit">
          <Icon name="clock" />
          <p>{overLimit}</p>
        </div>
      )}
      {idle && <IdleBanner {...props} words={idle} />}
    </div>
  );
}

function IdleBanner({ job, words, onChanged }: LifeProps & { words: string }) {
  const { busy, run } = useJobAct(onChanged);
  return (
    <div class="banner" role="status" data-test="job-idle">
      <Icon name="moon" />
      <p>{words}</p>
      <button
        class="button button-small"
        type="button"
        data-test="job-keep"
        aria-disabled={busy}
        onClick={() =>
          run(`${job.spec?.name ?? job.id} was not kept`, () =>
            jobClient.keepJob({ jobId: job.id }),
          )
        }
      >
        Keep it
      </button>
    </div>
  );
}
