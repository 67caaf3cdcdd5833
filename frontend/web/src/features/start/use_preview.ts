// Previews the form on the server, shortly after the last key.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Job, PreviewJobResponse } from "#proto/jobs";
import { jobClient } from "../../api/core";
import { failureOf } from "../../api/failure";
import { isLive } from "../jobs/job_list_state";
import { useSession } from "../../session/session_context";
import { useStreamUpdates } from "../../session/stream_updates_context";
import { useReloadOn } from "../../session/use_reload";
import { formToSpec, type StartForm } from "./form/start_form";

const kDebounceMs = 400;

export interface Preview {
  readonly form: StartForm; // the previewed form
  readonly answer: PreviewJobResponse;
}

// Changes with the user's active jobs, because they count against limits.
export function epochOf(jobs: readonly Job[]): string {
  return jobs
    .filter(isLive)
    .map(({ id, state, endsAt }) => `${id}.${state}.${endsAt?.seconds ?? 0n}`)
    .join(" ");
}

// The start depends on the cluster, which may change all the time.
const kClusterTiming = {
  minGapMs: 60_000,
  firstGapMs: 5_000,
  fallbackMs: 60_000,
};

// Changes when the cluster has changed, at most once in a minute.
function useClusterEpoch(): number {
  const [epoch, setEpoch] = useState(0);
  const reload = useCallback(() => {
    setEpoch((old) => old + 1);
    return Promise.resolve();
  }, []);
  const { cluster } = useStreamUpdates();
  useReloadOn(cluster, { reload, failed: false }, kClusterTiming);
  return epoch;
}

// Repeated when `jobs` of the user or the cluster change, because they matter,
// too. undefined: no result yet. A failed preview keeps the last result; the
// server validates the submission anyway. `isReady`: false while `jobs` are being
// loaded.
export function usePreview(
  form: StartForm,
  jobs: readonly Job[],
  isReady = true,
): Preview | undefined {
  const { endIfOver } = useSession();
  const [preview, setPreview] = useState<Preview>();
  const epoch = `${useClusterEpoch()} ${epochOf(jobs)}`;

  useEffect(() => {
    if (!isReady) return;
    const { spec, parseErrors } = formToSpec(form);
    if (parseErrors.length > 0) return;
    const call = new AbortController();
    const ask = async () => {
      try {
        const { signal } = call;
        const answer = await jobClient.previewJob({ spec }, { signal });
        setPreview({ form, answer });
      } catch (error) {
        if (!call.signal.aborted) endIfOver(failureOf(error));
      }
    };
    const timer = setTimeout(() => void ask(), kDebounceMs);
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [form, epoch, isReady, endIfOver]);

  return preview;
}
