// Previews a request for additional nodes shortly after the last key, and again
// when the job or the cluster changes.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Job, PreviewJobResponse } from "#proto/jobs";
import { clientsOf } from "../../../api/core";
import { failureOf } from "../../../api/failure";
import { useSession } from "../../../session/session_context";
import { type AddNodesForm, addNodesSpec } from "./add_nodes_form";

const kDebounceMs = 250;

export interface AddNodesPreview {
  readonly form: AddNodesForm; // the previewed form
  readonly answer: PreviewJobResponse;
}

export function useAddNodesPreview(
  form: AddNodesForm,
  job: Job,
  epoch: string,
): AddNodesPreview | undefined {
  const { endIfOver } = useSession();
  const [preview, setPreview] = useState<AddNodesPreview>();
  const latest = useRef(job);
  latest.current = job;
  useEffect(() => {
    const { spec, parseErrors } = addNodesSpec(form, latest.current);
    if (parseErrors.length > 0) return;
    const call = new AbortController();
    const ask = async () => {
      try {
        const { signal } = call;
        const answer = await clientsOf(job.cluster).jobs.previewJob(
          { spec },
          { signal },
        );
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
  }, [form, job.id, job.cluster, job.state, epoch, endIfOver]);
  return preview;
}
