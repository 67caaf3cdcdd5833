// The user's jobs, updated by one stream for each cluster while the page is
// shown.
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "preact/hooks";
import type { Job, WatchJobsResponse } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { followPage } from "../../api/follow_page";
import { type ConnectionState, StreamWatcher } from "../../api/stream_watcher";
import { useClusterChoice } from "../../session/cluster_context";
import { useSession } from "../../session/session_context";
import {
  type StreamUpdates,
  updatesOf,
} from "../../session/stream_updates_context";
import { announcements } from "./announcements";
import {
  awayClusters,
  kAwayAfterMs,
  type Links,
  linkOf,
} from "./cluster_links";
import {
  applyAnswer,
  applyWatch,
  type JobList,
  kNoJobsYet,
} from "./job_list_state";

export interface JobsView {
  readonly list: JobList;
  readonly link: ConnectionState;
  readonly message: string; // for the live region
  readonly away: readonly string[]; // clusters that cannot be reached
  // Of the selected cluster. The first epoch changes when GetCluster may return
  // something new.
  readonly updates: StreamUpdates;
  // Changes with the notifications, announcements and maintenance of a cluster;
  // empty: a backend does not announce them.
  readonly noticeEpoch: string;
  accept(job: Job): void; // the response of a call that changed a job
}

export function useJobs(): JobsView {
  const { endIfOver } = useSession();
  const { names, selected } = useClusterChoice();
  const [list, setList] = useState(kNoJobsYet);
  const [links, setLinks] = useState<Links>({});
  const [message, setMessage] = useState("");
  const [versions, setVersions] = useState(kNoVersions);
  const [snapshots, setSnapshots] = useState(0);
  const [notices, setNotices] = useState<Readonly<Record<string, bigint>>>({});
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
    const stops = (names.length > 0 ? names : [""]).map((cluster) => {
      const { jobs } = clientsOf(cluster);
      const watcher = new StreamWatcher({
        open: (signal) => jobs.watchJobs({}, { signal, timeoutMs: 0 }),
        onMessage(change) {
          move(applyWatch(latest.current, change, cluster));
          setNotices((old) => withValue(old, cluster, change.noticeVersion));
          if (cluster !== selected) return;
          setVersions((old) => withVersions(old, change));
          if (change.snapshot) setSnapshots((seen) => seen + 1);
        },
        onLink: (state) => setLinks((old) => withValue(old, cluster, state)),
        onSessionEnd: endIfOver,
      });
      return followPage(watcher);
    });
    return () => stops.forEach((stop) => stop());
  }, [move, endIfOver, names, selected]);

  const isLive = links[selected] === "live";
  const updates = useMemo(
    () => ({
      cluster: { live: isLive, epoch: `${snapshots}.${versions.cluster}` },
      health: updatesOf(isLive, versions.health),
      images: updatesOf(isLive, versions.images),
    }),
    [isLive, snapshots, versions],
  );
  return {
    list,
    link: linkOf(links),
    message,
    away: useAway(links),
    updates,
    noticeEpoch: noticeEpochOf(notices),
    accept,
  };
}

const kNoVersions = { cluster: 0n, health: 0n, images: 0n };

// The same object if nothing changes.
function withVersions(old: typeof kNoVersions, change: WatchJobsResponse) {
  const { clusterVersion, healthVersion, imageVersion } = change;
  return old.cluster === clusterVersion &&
    old.health === healthVersion &&
    old.images === imageVersion
    ? old
    : {
        cluster: clusterVersion,
        health: healthVersion,
        images: imageVersion,
      };
}

function noticeEpochOf(notices: Readonly<Record<string, bigint>>): string {
  const versions = Object.values(notices);
  return versions.includes(0n) ? "" : versions.join(".");
}

// The same object if nothing changes, so that nothing is rendered.
function withValue<T>(
  old: Readonly<Record<string, T>>,
  cluster: string,
  value: T,
) {
  return old[cluster] === value ? old : { ...old, [cluster]: value };
}

// After a while, so that a short interruption shows nothing.
function useAway(links: Links): readonly string[] {
  const [away, setAway] = useState<readonly string[]>([]);
  useEffect(() => {
    const names = awayClusters(links);
    const delay = names.length > 0 ? kAwayAfterMs : 0;
    const timer = setTimeout(() => setAway(names), delay);
    return () => clearTimeout(timer);
  }, [links]);
  return away;
}
