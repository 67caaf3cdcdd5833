import { Code } from "@connectrpc/connect";
import type { Job } from "#proto/jobs";
import { clientsOf } from "../../api/core";
import { failureOf } from "../../api/failure";
import { useQuery } from "../../session/use_query";
import { isArray } from "../jobs/array_labels";
import { mayHaveLog } from "../jobs/job_labels";
import { type LogEvent, logEvents } from "./startup_log";

// The events in the first 64 KiB of the job's log, read again after a change of
// its state. None of an array: its tasks have logs of their own.
export function useStartupLog(job: Job, mayRead: boolean): readonly LogEvent[] {
  const has = mayRead && mayHaveLog(job) && !isArray(job);
  const { value } = useQuery(async () => {
    if (!has) return [];
    try {
      const { text } = await clientsOf(job.cluster).jobs.getLog({
        jobId: job.id,
      });
      return logEvents(text);
    } catch (error) {
      if (failureOf(error).code === Code.NotFound) return [];
      throw error;
    }
  }, `${job.id} ${job.state} ${has}`);
  return value ?? [];
}
