// The user's jobs, updated by the stream while the page is shown.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Job } from "#proto/jobs";
import { jobClient } from "../../api/core";
import { useSession } from "../../session/session_context";
import { announcements } from "./announcements";
import {
  applyAnswer,
  applyWatch,
  type JobList,
  kNoJobsYet,
} from "./job_list_state";
import { JobsWatcher, type ConnectionState } from "./jobs_watcher";

export interface JobsView {
  readonly list: JobList;
  readonly link: ConnectionState;
  readonly message: string; // for the live region
  readonly clusterEpoch: string; // changes when GetCluster may return something new
  accept(job: Job): void; // the response of a call that changed a job
}

export function useJobs(): JobsView {
  const { endIfOver } = useSession();
  const [list, setList] = useState(kNoJobsYet);
  const [link, setLink] = useState<ConnectionState>("connecting");
  const [message, setMessage] = useState("");
  const [version, setVersion] = useState(0n);
  const [snapshots, setSnapshots] = useState(0);
  const latest = useRef(kNoJobsYet);

  const move = useCallback((next: JobList) => {
    const sentences = announcements(latest.current, next);
    if (sentences.length > 0) setMessage(sentences.join(" "));
    latest.current = next;
    setList(next);
  }, []);
  const accept = useCallback(
    (job: Job) => move(applyAnswer(latest.current, job)),
    [move],
  );

  useEffect(() => {
    const watcher = new JobsWatcher({
      open: (signal) => jobClient.watchJobs({}, { signal, timeoutMs: 0 }),
      onMessage(message) {
        move(applyWatch(latest.current, message));
        setVersion(message.clusterVersion);
        if (message.snapshot) setSnapshots((seen) => seen + 1);
      },
      onLink: setLink,
      onSessionEnd: endIfOver,
    });
    return followPage(watcher);
  }, [move, endIfOver]);

  return {
    list,
    link,
    message,
    clusterEpoch: `${snapshots}.${version}`,
    accept,
  };
}

// Runs the watcher according to the visibility and connection of the page.
function followPage(watcher: JobsWatcher): () => void {
  const look = () => watcher.setVisible(!document.hidden);
  const wake = () => watcher.wake();
  document.addEventListener("visibilitychange", look);
  addEventListener("online", wake);
  watcher.start();
  if (document.hidden) look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    removeEventListener("online", wake);
    watcher.stop();
  };
}
