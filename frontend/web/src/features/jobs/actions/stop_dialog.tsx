// Asks for confirmation before a job is stopped.
import { useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../../api/core";
import { failureOf } from "../../../api/failure";
import { isLinkedJob } from "../additional_nodes/linked_jobs";
import { inUseLabel } from "./lifetime_labels";
import { useSession } from "../../../session/session_context";
import { Dialog } from "../../../ui/dialog";
import { useReport } from "../../../ui/toasts";
import { messages } from "#messages/jobs";

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
  const name = job.spec?.name ?? job.id;
  const nodes = job.nodes.join(", ");
  const inUse = joined ? "" : inUseLabel(job, Date.now());

  const stop = async () => {
    if (busy) return;
    setBusy(true);
    try {
      const answer = await clientsOf(job.cluster).jobs.stopJob({
        jobId: job.id,
      });
      if (answer.job) onStopped(answer.job);
    } catch (error) {
      const failure = failureOf(error);
      const title = joined
        ? messages.cannotStopAdditionalNodes
        : messages.cannotStop({ name });
      if (!endIfOver(failure)) report(title, failure);
    }
    close();
  };

  return (
    <Dialog
      title={
        joined ? messages.releaseTheseNodes : messages.stopJobQuestion({ name })
      }
      close={close}
    >
      <p>
        {!joined
          ? messages.theJobEndsNow
          : nodes
            ? messages.programsOnNodesEnd({ nodes })
            : messages.programsOnTheseNodesEnd}
      </p>
      {inUse && (
        <p class="muted" data-testid="stop-in-use">
          {messages.inUseNow({ use: inUse })}
        </p>
      )}
      <div class="dialog-actions">
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
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
