// A text, delayed until typing pauses.
import { useEffect, useState } from "preact/hooks";

const kDebounceMs = 250;

export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), kDebounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
