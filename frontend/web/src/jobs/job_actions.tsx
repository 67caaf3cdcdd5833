// Open and Stop.
import { useState } from "preact/hooks";
import { type Job, JobState } from "#proto/jobs";
import { jobClient } from "../api/clients";
import { failureOf } from "../api/failure";
import { useSession } from "../session/session_context";
import { Icon } from "../ui/icon";
import { useReport } from "../ui/toasts";
import { openInNewTab } from "./open_in_new_tab";

export function JobActions(props: {
  job: Job;
  appName: string;
  onStop(): void;
}) {
  const { job, appName, onStop } = props;
  const { endIfOver } = useSession();
  const report = useReport();
  const [opening, setOpening] = useState(false);
  const name = job.spec?.name ?? job.id;

  const openJob = async () => {
    if (opening) return;
    setOpening(true);
    try {
      await openInNewTab(`Opening ${appName}…`, async () => {
        return (await jobClient.openApp({ jobId: job.id })).url;
      });
    } catch (error) {
      const failure = failureOf(error);
      if (!endIfOver(failure)) report(`${name} was not opened`, failure);
    }
    setOpening(false);
  };

  return (
    <div class="job-actions">
      {job.state === JobState.READY && (
        <button
          class="button button-primary"
          type="button"
          data-test="job-open"
          aria-disabled={opening}
          onClick={openJob}
        >
          Open {appName}
          <Icon name="open" />
          <span class="sr-only">of {name} in a new tab</span>
        </button>
      )}
      {job.state !== JobState.STOPPING && (
        <button
          class="button"
          type="button"
          data-test="job-stop"
          onClick={onStop}
        >
          Stop <span class="sr-only">{name}</span>
        </button>
      )}
    </div>
  );
}
