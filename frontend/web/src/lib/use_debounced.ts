// A value, delayed until typing pauses.
import { useEffect, useState } from "preact/hooks";

const kDebounceMs = 250;

export function useDebounced<Value>(value: Value): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), kDebounceMs);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
