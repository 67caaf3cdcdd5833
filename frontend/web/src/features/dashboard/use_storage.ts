// Loads the usage of the user's storage, again while the page is visible.
import { useEffect, useState } from "preact/hooks";
import type { StorageArea } from "#proto/storage";
import { storageClient } from "../../api/core";
import type { Failure } from "../../api/failure";
import { useQuery } from "../../session/use_query";

const kPeriodMs = 5 * 60_000;

export interface StorageView {
  readonly areas: readonly StorageArea[]; // empty: unknown, or none configured
  readonly failure: Failure | undefined; // of the newest request
}

export function useStorage(): StorageView {
  const [round, setRound] = useState(0);
  const { value, failure } = useQuery(
    () => storageClient.getStorage({}),
    String(round),
  );
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setRound((old) => old + 1);
    }, kPeriodMs);
    return () => clearInterval(timer);
  }, []);
  return { areas: value?.areas ?? [], failure };
}
