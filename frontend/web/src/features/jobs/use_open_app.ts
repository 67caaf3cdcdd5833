// Opens apps of jobs in new tabs, one at a time.
import { useRef, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { failureOf } from "../../api/failure";
import { useSession } from "../../session/session_context";
import { useReport } from "../../ui/toasts";
import type { CardApp } from "./job_apps";
import { openInNewTab } from "./open_in_new_tab";
import { messages } from "#messages/jobs";

export interface OpenApps {
  readonly opening: string | undefined; // the app's ID
  // `fragment`: what the app is to show, with its "#"; browsers keep it when the
  // one-time address redirects to the app.
  open(job: Job, app: CardApp, fragment?: string): Promise<void>;
}

export interface OpenApp {
  readonly opening: string | undefined;
  open(app: CardApp): Promise<void>;
}

export function useOpenApp(job: Job): OpenApp {
  const { opening, open } = useOpenApps();
  return { opening, open: (app) => open(job, app) };
}

export function useOpenApps(): OpenApps {
  const { endIfOver } = useSession();
  const report = useReport();
  const [opening, setOpening] = useState<string>();
  const busy = useRef(false);

  const open = async (job: Job, { id, name }: CardApp, fragment = "") => {
    if (busy.current) return;
    busy.current = true;
    setOpening(id);
    const title = messages.cannotOpenApp({
      app: name,
      job: job.spec?.name ?? job.id,
    });
    const app = id === job.spec?.app ? "" : id;
    try {
      await openInNewTab(messages.openingApp({ app: name }), async () => {
        const { jobs } = clientsOf(job.cluster);
        return (await jobs.openApp({ jobId: job.id, app })).url + fragment;
      });
      report(title, undefined);
    } catch (error) {
      const failure = failureOf(error);
      if (!endIfOver(failure)) report(title, failure);
    }
    busy.current = false;
    setOpening(undefined);
  };
  return { opening, open };
}
