// Previews the form on the server, shortly after the last key.
import { useEffect, useState } from "preact/hooks";
import type { Job, PreviewJobResponse } from "#proto/jobs";
import { jobClient } from "../../api/core";
import { failureOf } from "../../api/failure";
import { isLive } from "../jobs/job_list_state";
import { useSession } from "../../session/session_context";
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

// Repeated whenever `epoch` changes, because other jobs and the cluster matter,
// too. undefined: no result yet. A failed preview keeps the last result; the
// server validates the submission anyway. `isReady`: false while `epoch` is about
// to change.
export function usePreview(
  form: StartForm,
  epoch: string,
  isReady = true,
): Preview | undefined {
  const { endIfOver } = useSession();
  const [preview, setPreview] = useState<Preview>();

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
