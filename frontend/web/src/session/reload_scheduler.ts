// Decides when data of the cluster are loaded again: after a change that the
// stream announces, at most once in `minGapMs`, and only while the page is
// visible. While the stream is down: at intervals.

export interface ReloadTiming {
  readonly minGapMs: number; // between two reloads
  readonly fallbackMs: number; // the interval without a stream
}

export const kReloadTiming: ReloadTiming = {
  minGapMs: 5_000,
  fallbackMs: 15_000,
};

export class ReloadScheduler {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private reloadedAt: number;
  private epoch: string | undefined;
  private live = false;
  private visible = true;
  private changed = false; // since the last reload

  constructor(
    private readonly reload: () => void,
    private readonly timing: ReloadTiming = kReloadTiming,
  ) {
    this.reloadedAt = Date.now(); // the page has just loaded its data
  }

  update(live: boolean, epoch: string): void {
    if (this.epoch !== undefined && epoch !== this.epoch) this.changed = true;
    this.epoch = epoch;
    this.live = live;
    this.schedule();
  }

  setVisible(visible: boolean): void {
    this.visible = visible;
    this.schedule();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.visible || (this.live && !this.changed)) return;
    const gap = this.changed ? this.timing.minGapMs : this.timing.fallbackMs;
    const wait = Math.max(0, this.reloadedAt + gap - Date.now());
    this.timer = setTimeout(() => this.run(), wait);
  }

  private run(): void {
    this.reloadedAt = Date.now();
    this.changed = false;
    this.reload();
    this.schedule();
  }
}
