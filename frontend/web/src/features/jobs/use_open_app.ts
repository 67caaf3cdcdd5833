// Opens an app of a job in a new tab, one at a time.
import { useRef, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { failureOf } from "../../api/failure";
import { useSession } from "../../session/session_context";
import { useReport } from "../../ui/toasts";
import type { CardApp } from "./job_apps";
import { openInNewTab } from "./open_in_new_tab";
import { messages } from "#messages/jobs";

export interface OpenApp {
  readonly opening: string | undefined; // the app's ID
  open(app: CardApp): Promise<void>;
}

export function useOpenApp(job: Job): OpenApp {
  const { endIfOver } = useSession();
  const report = useReport();
  const [opening, setOpening] = useState<string>();
  const busy = useRef(false);

  const open = async ({ id, name }: CardApp) => {
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
        return (
          await clientsOf(job.cluster).jobs.openApp({ jobId: job.id, app })
        ).url;
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
