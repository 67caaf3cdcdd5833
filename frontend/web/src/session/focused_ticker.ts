// Calls `tick` at intervals while the page is watched, and at once when it is
// watched again after a longer time.
export class FocusedTicker {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tickedAt = Date.now(); // the page has just loaded its data

  constructor(
    private readonly tick: () => void,
    private readonly periodMs: number,
  ) {}

  setWatched(watched: boolean): void {
    clearTimeout(this.timer);
    if (!watched) return;
    const wait = Math.max(0, this.tickedAt + this.periodMs - Date.now());
    this.timer = setTimeout(() => {
      this.tickedAt = Date.now();
      this.setWatched(true);
      this.tick();
    }, wait);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
