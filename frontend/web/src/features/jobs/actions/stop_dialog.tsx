// Asks before a job is stopped: what is not saved is lost.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { jobClient } from "../../../api/core";
import { failureOf } from "../../../api/failure";
import { isLinkedJob } from "../additional_nodes/linked_jobs";
import { useSession } from "../../../session/session_context";
import { Dialog } from "../../../ui/dialog";
import { useReport } from "../../../ui/toasts";

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
  const name = joined ? "what was added" : (job.spec?.name ?? job.id);

  const stop = async () => {
    if (busy) return;
    setBusy(true);
    try {
      const answer = await jobClient.stopJob({ jobId: job.id });
      if (answer.job) onStopped(answer.job);
    } catch (error) {
      const failure = failureOf(error);
      if (!endIfOver(failure)) report(`${name} was not stopped`, failure);
    }
    close();
  };

  return (
    <Dialog
      title={joined ? "Release the nodes?" : `Stop ${name}?`}
      close={close}
    >
      <p>
        {joined
          ? `What runs on ${job.nodes.join(", ") || "them"} ends now. The job ` +
            "that they were added to goes on with its other nodes."
          : "The job and everything that runs in it end now. Files that are " +
            "saved stay; what is only in memory is lost."}
      </p>
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          {joined ? "Keep them" : "Keep it"}
        </button>
        <button
          class="button button-danger"
          type="button"
          data-testid="confirm-stop"
          aria-disabled={busy}
          onClick={stop}
        >
          {busy ? "Stopping…" : joined ? "Release them" : "Stop the job"}
        </button>
      </div>
    </Dialog>
  );
}
