// How full the user's storage is, asked again while somebody looks at the page.
import { useEffect, useState } from "preact/hooks";
import type { StorageArea } from "#proto/storage";
import { storageClient } from "../../api/core";
import type { Failure } from "../../api/failure";
import { useQuery } from "../../session/use_query";

const kPeriodMs = 5 * 60_000;

export interface StorageView {
  readonly areas: readonly StorageArea[]; // none: not known, or none are listed
  readonly failure: Failure | undefined; // of the newest question
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
