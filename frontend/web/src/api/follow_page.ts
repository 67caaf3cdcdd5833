// Runs a watcher of a stream while the page is visible and connected.

export interface PageWatcher {
  start(): void;
  stop(): void;
  setVisible(visible: boolean): void;
  wake(): void;
}

// Returns the function that stops the watcher.
export function followPage(watcher: PageWatcher): () => void {
  const look = () => watcher.setVisible(!document.hidden);
  const wake = () => watcher.wake();
  document.addEventListener("visibilitychange", look);
  addEventListener("online", wake);
  watcher.start();
  if (document.hidden) look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    removeEventListener("online", wake);
    watcher.stop();
  };
}
