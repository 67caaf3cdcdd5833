// Follows one log while the page is watched.
import { useEffect, useRef, useState } from "preact/hooks";
import { clientsOf } from "../../../api/core";
import { useSession } from "../../../session/session_context";
import { followWatched, mayHaveStreams } from "../../../session/watched_page";
import { kNothingKnown, LogFollower, type LogView } from "./log_follower";

export interface FollowedLog {
  readonly view: LogView;
  readOlder(): Promise<void>; // throws the call's error
}

export function useLog(
  cluster: string, // of the job
  jobId: string,
  app: string, // empty: the job's log
  ended: boolean,
  task?: number, // of an array
): FollowedLog {
  const { endIfOver } = useSession();
  const [view, setView] = useState<LogView>(kNothingKnown);
  const follower = useRef<LogFollower>();
  // Of the first effect, so that an ended job's log has no stream.
  const endsWith = useRef(ended);
  endsWith.current = ended;

  useEffect(() => {
    const { jobs, jobLogs } = clientsOf(cluster);
    const requestAt = (offset: number) => ({
      jobId,
      app,
      offsetBytes: BigInt(offset),
      ...(task !== undefined && { task }),
    });
    const mine = new LogFollower({
      read: (offset) => jobs.getLog(requestAt(offset)),
      open: (offset, signal) =>
        jobLogs.followLog(requestAt(offset), { signal, timeoutMs: 0 }),
      onView: setView,
      onSessionEnd: endIfOver,
    });
    follower.current = mine;
    mine.setEnded(endsWith.current);
    const stopLooking = followWatched(
      (watched) => mine.setWatched(watched),
      mayHaveStreams,
    );
    const wake = () => mine.wake();
    addEventListener("online", wake);
    mine.start();
    return () => {
      removeEventListener("online", wake);
      stopLooking();
      mine.stop();
    };
  }, [cluster, jobId, app, task, endIfOver]);
  useEffect(() => follower.current?.setEnded(ended), [ended, jobId, app, task]);

  const readOlder = async () => follower.current?.readOlder();
  return { view, readOlder };
}
