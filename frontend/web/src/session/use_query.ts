// What a page shows, asked for when it opens and whenever `key` changes. The
// newest question wins; the last answer stays while a new one is asked for.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Failure, failureOf } from "../api/failure";
import { useSession } from "./session_context";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: Failure | undefined; // of the newest question
  readonly loading: boolean;
  reload(): Promise<void>;
  set(value: T): void; // what the page knows better by now
}

export function useLoaded<T>(ask: () => Promise<T>, key = ""): Loaded<T> {
  const { endIfOver } = useSession();
  const [value, setValue] = useState<T>();
  const [failure, setFailure] = useState<Failure>();
  const [loading, setLoading] = useState(true);
  const newest = useRef(0);
  const question = useRef(ask);
  question.current = ask;

  const reload = useCallback(async () => {
    const mine = ++newest.current;
    setLoading(true);
    try {
      const answer = await question.current();
      if (mine !== newest.current) return;
      setValue(answer);
      setFailure(undefined);
    } catch (error) {
      const next = failureOf(error);
      if (mine !== newest.current || endIfOver(next)) return;
      setFailure(next);
    }
    setLoading(false);
  }, [endIfOver]);
  useEffect(() => {
    void reload();
    return () => void newest.current++;
  }, [key, reload]);

  const set = useCallback((next: T) => {
    newest.current++;
    setLoading(false);
    setValue(next);
  }, []);
  return { value, failure, loading, reload, set };
}
