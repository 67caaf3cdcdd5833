// What the server would say to the form, asked a moment after the last key.
import { useEffect, useState } from "preact/hooks";
import type { Job, PreviewJobResponse } from "#proto/jobs";
import { jobClient } from "../../api/core";
import { failureOf } from "../../api/failure";
import { isLive } from "../jobs/job_list_state";
import { useSession } from "../../session/session_context";
import { formToSpec, type StartForm } from "./form/start_form";

const kDebounceMs = 250;

export interface Preview {
  readonly form: StartForm; // which form this is the answer to
  readonly answer: PreviewJobResponse;
}

// Changes when a live job of the user's does, so that other limits may hold now.
export function epochOf(jobs: readonly Job[]): string {
  return jobs
    .filter(isLive)
    .map(({ id, state, endsAt }) => `${id}.${state}.${endsAt?.seconds ?? 0n}`)
    .join(" ");
}

// Asked again whenever `epoch` changes: other jobs and the cluster decide too.
// undefined: nothing known yet. A failed preview keeps the last answer; Start
// is judged by the server anyway.
export function usePreview(
  form: StartForm,
  epoch: string,
): Preview | undefined {
  const { endIfOver } = useSession();
  const [preview, setPreview] = useState<Preview>();

  useEffect(() => {
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
  }, [form, epoch, endIfOver]);

  return preview;
}
