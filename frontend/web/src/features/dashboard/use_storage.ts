// Loads the usage of the user's storage. File systems announce no changes of it.
// It is loaded again when a job has ended, which may have written files, and
// when the user returns to the page, for example from an app.
import type { StorageArea } from "#proto/storage";
import { storageClient } from "../../api/core";
import type { Failure } from "../../api/failure";
import { useQuery } from "../../session/use_query";
import { useReloadOn, useReloadOnReturn } from "../../session/use_reload";
import { useStreamUpdates } from "../../session/stream_updates_context";
import { endedEpochOf, type JobList } from "../jobs/job_list_state";

const kPeriodMs = 5 * 60_000;
// The server reads it at most once a minute.
const kTiming = { minGapMs: 60_000, fallbackMs: kPeriodMs };

export interface StorageView {
  readonly areas: readonly StorageArea[]; // empty: unknown, or none configured
  readonly failure: Failure | undefined; // of the newest request
}

export function useStorage(list: JobList): StorageView {
  const loaded = useQuery(() => storageClient.getStorage({}));
  const { value, failure, reload } = loaded;
  const { live } = useStreamUpdates().cluster;
  useReloadOn(
    { live, epoch: endedEpochOf(list) },
    { reload, failed: failure !== undefined },
    kTiming,
  );
  useReloadOnReturn(loaded, kPeriodMs);
  return { areas: value?.areas ?? [], failure };
}
