// Follows one log while the page is visible.
import { useEffect, useRef, useState } from "preact/hooks";
import { clientsOf } from "../../../api/core";
import { useSession } from "../../../session/session_context";
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

  useEffect(() => {
    const mine = new LogFollower({
      read: (offset) =>
        clientsOf(cluster).jobs.getLog({
          jobId,
          app,
          offsetBytes: BigInt(offset),
          ...(task !== undefined && { task }),
        }),
      onView: setView,
      onSessionEnd: endIfOver,
    });
    follower.current = mine;
    const look = () => mine.setVisible(!document.hidden);
    document.addEventListener("visibilitychange", look);
    mine.start();
    look();
    return () => {
      document.removeEventListener("visibilitychange", look);
      mine.stop();
    };
  }, [cluster, jobId, app, task, endIfOver]);
  useEffect(() => follower.current?.setEnded(ended), [ended, jobId, app, task]);

  const readOlder = async () => follower.current?.readOlder();
  return { view, readOlder };
}
