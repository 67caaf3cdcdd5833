// The speed over the last seconds, which a short pause does not make zero.
const kSpanMs = 6000;

export class SpeedMeter {
  private samples: { atMs: number; bytes: number }[] = [];

  add(atMs: number, bytes: number): void {
    this.samples.push({ atMs, bytes });
    while (this.samples[0]!.atMs < atMs - kSpanMs) this.samples.shift();
  }

  bytesPerSecond(atMs: number): number {
    const first = this.samples.find((sample) => sample.atMs >= atMs - kSpanMs);
    const last = this.samples.at(-1);
    if (!first || !last || last.atMs <= first.atMs) return 0;
    const elapsed = Math.max(atMs, last.atMs) - first.atMs;
    return Math.max(0, ((last.bytes - first.bytes) * 1000) / elapsed);
  }
}
