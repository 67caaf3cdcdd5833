// A function whose identity never changes and which always calls the newest
// `handler`. An effect that calls it does not run again when `handler` changes.
import { useCallback, useRef } from "preact/hooks";

export function useEvent<A extends unknown[], R>(
  handler: (...args: A) => R,
): (...args: A) => R {
  const latest = useRef(handler);
  latest.current = handler;
  return useCallback((...args: A) => latest.current(...args), []);
}
