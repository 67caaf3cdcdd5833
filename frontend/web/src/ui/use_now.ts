import { useEffect, useState } from "preact/hooks";

// The current time, updated while the component is shown and the page visible:
// some components ask the backend again with the time.
export function useNow(periodMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const tick = () => setNow(Date.now());
    const run = () => {
      clearInterval(timer);
      if (!document.hidden) timer = setInterval(tick, periodMs);
    };
    const follow = () => {
      run();
      if (!document.hidden) tick();
    };
    run();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      clearInterval(timer);
    };
  }, [periodMs]);
  return now;
}
