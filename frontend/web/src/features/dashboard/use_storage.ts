// Loads the usage of the user's storage, again while the page has the focus:
// file systems announce no changes of quotas.
import type { StorageArea } from "#proto/storage";
import { storageClient } from "../../api/core";
import type { Failure } from "../../api/failure";
import { useQuery } from "../../session/use_query";
import { useReloadEvery } from "../../session/use_reload";

const kPeriodMs = 5 * 60_000;

export interface StorageView {
  readonly areas: readonly StorageArea[]; // empty: unknown, or none configured
  readonly failure: Failure | undefined; // of the newest request
}

export function useStorage(): StorageView {
  const loaded = useQuery(() => storageClient.getStorage({}));
  useReloadEvery(loaded, kPeriodMs);
  return { areas: loaded.value?.areas ?? [], failure: loaded.failure };
}
