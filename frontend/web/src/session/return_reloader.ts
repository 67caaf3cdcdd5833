// Calls `reload` when the user returns to the page after a longer time.
export class ReturnReloader {
  private reloadedAt = Date.now(); // the page has just loaded its data
  private watched = true;

  constructor(
    private readonly reload: () => void,
    private readonly minGapMs: number,
  ) {}

  setWatched(watched: boolean): void {
    const returns = watched && !this.watched;
    this.watched = watched;
    if (!returns || Date.now() - this.reloadedAt < this.minGapMs) return;
    this.reloadedAt = Date.now();
    this.reload();
  }
}
