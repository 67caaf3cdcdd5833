// Starts the job for files, also together with a tab that shows them.
import { useRef, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { failureOf } from "../../api/failure";
import { useSession } from "../../session/session_context";
import { useReport } from "../../ui/toasts";
import { openInNewTab } from "../jobs/open_in_new_tab";
import { formToSpec, type StartForm } from "../start/form/start_form";
import { useSubmit } from "../start/use_submit";
import { folderFragment } from "./file_sessions";
import { messages } from "#messages/files";

export interface FileSession {
  readonly busy: boolean;
  start(form: StartForm): Promise<void>;
  startAndOpen(form: StartForm, path: string): Promise<void>;
}

export function useFileSession(onStarted: (job: Job) => void): FileSession {
  const { endIfOver } = useSession();
  const report = useReport();
  const started = useRef<Job>();
  const { busy, submit } = useSubmit((job) => {
    started.current = job;
    onStarted(job);
  });
  const [opening, setOpening] = useState(false);

  const start = async (form: StartForm) => {
    await submit(formToSpec(form).spec);
  };
  const startAndOpen = async (form: StartForm, path: string) => {
    if (busy || opening) return;
    setOpening(true);
    try {
      await openInNewTab(messages.openingFiles, async () => {
        started.current = undefined;
        await start(form);
        const job = started.current as Job | undefined;
        if (!job) throw new NotStarted();
        const { jobs } = clientsOf(job.cluster);
        return (
          (await jobs.openApp({ jobId: job.id })).url + folderFragment(path)
        );
      });
      report(messages.cannotOpenFiles, undefined);
    } catch (error) {
      // The submission has reported why.
      if (!(error instanceof NotStarted)) {
        const failure = failureOf(error);
        if (!endIfOver(failure)) report(messages.cannotOpenFiles, failure);
      }
    }
    setOpening(false);
  };
  return { busy: busy || opening, start, startAndOpen };
}

class NotStarted extends Error {}
