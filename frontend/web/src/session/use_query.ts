// Data that a page loads when it opens and again whenever `key` changes. Only
// the result of the newest request counts; the last data stay visible while a
// new request is under way.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Failure, failureOf } from "../api/failure";
import { useEvent } from "../lib/use_event";
import { useSession } from "./session_context";

export interface Query<T> {
  readonly value: T | undefined;
  readonly failure: Failure | undefined; // of the newest request
  readonly loading: boolean;
  reload(): Promise<void>;
  set(value: T): void; // replaces the data without a request
}

export function useQuery<T>(fetchData: () => Promise<T>, key = ""): Query<T> {
  const { endIfOver } = useSession();
  const [value, setValue] = useState<T>();
  const [failure, setFailure] = useState<Failure>();
  const [loading, setLoading] = useState(true);
  const requests = useRef(0);
  const fetchLatest = useEvent(fetchData);

  const reload = useCallback(async () => {
    const request = ++requests.current;
    setLoading(true);
    try {
      const data = await fetchLatest();
      if (request !== requests.current) return;
      setValue(data);
      setFailure(undefined);
    } catch (error) {
      const next = failureOf(error);
      if (request !== requests.current || endIfOver(next)) return;
      setFailure(next);
    }
    setLoading(false);
  }, [endIfOver, fetchLatest]);
  const cancel = useCallback(() => void requests.current++, []);
  useEffect(() => {
    void reload();
    return cancel;
  }, [key, reload, cancel]);

  const set = useCallback((next: T) => {
    requests.current++;
    setLoading(false);
    setValue(next);
  }, []);
  return { value, failure, loading, reload, set };
}
