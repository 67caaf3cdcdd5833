// Calls `onChange` at once and whenever the page gets or loses what `isWatched`
// tests: by default, that it is visible and has the focus. Returns the function
// that stops it.
export function followWatched(
  onChange: (watched: boolean) => void,
  isWatched = hasFocus,
): () => void {
  const look = () => onChange(isWatched());
  const changes = [
    [document, "visibilitychange"],
    [window, "focus"],
    [window, "blur"],
  ] as const;
  for (const [target, event] of changes) target.addEventListener(event, look);
  look();
  return () => {
    for (const [target, event] of changes) {
      target.removeEventListener(event, look);
    }
  };
}

export function hasFocus(): boolean {
  return !document.hidden && document.hasFocus();
}

// With HTTP/1.1 a browser has six connections to a host, and each stream takes
// one, in whichever window it is. So that some are left, only the window with
// the focus may have streams other than that of the jobs. HTTP/2 sends all
// streams over one connection.
export function mayHaveStreams(): boolean {
  return !document.hidden && (sharesConnection() || document.hasFocus());
}

function sharesConnection(): boolean {
  const [page] = performance.getEntriesByType(
    "navigation",
  ) as PerformanceNavigationTiming[];
  return page?.nextHopProtocol === "h2" || page?.nextHopProtocol === "h3";
}
