// Decides when data are loaded again: after a change that the stream announces,
// at most once in `minGapMs`, and only while the page is visible. While the
// stream is down, and after a load that failed: at intervals.

export interface ReloadTiming {
  readonly minGapMs: number; // between two reloads
  readonly firstGapMs?: number; // before the first one, instead
  // The interval without a stream; absent: none, nor a repetition of a load that
  // failed.
  readonly fallbackMs?: number;
  // After a change that many pages see at once, each waits for a random part of
  // this.
  readonly spreadMs?: number;
  // What was loaded before the stream was up is loaded once more when it is: it
  // may have changed in between.
  readonly catchesUp?: boolean;
}

export const kReloadTiming = {
  minGapMs: 5_000,
  fallbackMs: 15_000,
} satisfies ReloadTiming;

export class ReloadScheduler {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reloadedAt: number;
  private epoch: string | undefined;
  private live: boolean | undefined; // not known before the first update
  private visible = true;
  private changed = false; // since the last reload
  private failed = false; // the newest load

  constructor(
    private readonly reload: () => void,
    private readonly timing: ReloadTiming = kReloadTiming,
  ) {
    const { minGapMs, firstGapMs = minGapMs } = timing;
    // The page has just loaded its data.
    this.reloadedAt = Date.now() - minGapMs + firstGapMs;
  }

  // An empty epoch is not known yet.
  update(live: boolean, epoch: string): void {
    const isBack = live && this.live === false;
    if (this.epoch && epoch !== this.epoch) this.changed = true;
    if (isBack && this.timing.catchesUp) this.changed = true;
    this.epoch = epoch;
    this.live = live;
    this.schedule();
  }

  setVisible(visible: boolean): void {
    this.visible = visible;
    this.schedule();
  }

  setFailed(failed: boolean): void {
    this.failed = failed;
    this.schedule();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.visible) return;
    if (this.live && !this.changed && !this.failed) return;
    const { minGapMs, fallbackMs, spreadMs = 0 } = this.timing;
    const gap = this.changed ? minGapMs : fallbackMs;
    if (gap === undefined) return;
    const wait =
      Math.max(0, this.reloadedAt + gap - Date.now()) +
      (this.changed ? Math.random() * spreadMs : 0);
    this.timer = setTimeout(() => this.run(), wait);
  }

  private run(): void {
    this.reloadedAt = Date.now();
    this.changed = false;
    this.reload();
    this.schedule();
  }
}
