// Asks for confirmation before a job is stopped.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { jobClient } from "../../../api/core";
import { failureOf } from "../../../api/failure";
import { isLinkedJob } from "../additional_nodes/linked_jobs";
import { useSession } from "../../../session/session_context";
import { Dialog } from "../../../ui/dialog";
import { useReport } from "../../../ui/toasts";
import { messages } from "../messages";

export function StopDialog(props: {
  job: Job;
  onStopped(job: Job): void;
  close(): void;
}) {
  const { job, onStopped, close } = props;
  const { endIfOver } = useSession();
  const report = useReport();
  const [busy, setBusy] = useState(false);
  const joined = isLinkedJob(job);
  const name = joined
    ? messages.theAdditionalNodes
    : (job.spec?.name ?? job.id);

  const stop = async () => {
    if (busy) return;
    setBusy(true);
    try {
      const answer = await jobClient.stopJob({ jobId: job.id });
      if (answer.job) onStopped(answer.job);
    } catch (error) {
      const failure = failureOf(error);
      if (!endIfOver(failure)) report(`Cannot stop ${name}`, failure);
    }
    close();
  };

  return (
    <Dialog
      title={joined ? messages.releaseTheseNodes : `Stop ${name}?`}
      close={close}
    >
      <p>
        {joined
          ? `Programs on ${job.nodes.join(", ") || messages.theseNodes} end now. The job ` +
            messages.continuesOnItsOtherNodes
          : "The job and its programs end now. Saved files are kept. " +
            messages.unsavedWorkIsLost}
      </p>
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          {joined ? messages.cancel : messages.cancel}
        </button>
        <button
          class="button button-danger"
          type="button"
          data-testid="confirm-stop"
          aria-disabled={busy}
          onClick={stop}
        >
          {busy
            ? messages.stopping
            : joined
              ? messages.releaseNodes
              : messages.stopJob}
        </button>
      </div>
    </Dialog>
  );
}
