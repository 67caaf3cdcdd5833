// The point that all plots of a page mark, with the pointer or the keyboard.

type Listener = (point: number | undefined, isKeyboard: boolean) => void;

export class PlotCursor {
  private readonly listeners = new Set<Listener>();
  private current: number | undefined;

  get point(): number | undefined {
    return this.current;
  }

  // undefined: no point is marked.
  set(point: number | undefined, isKeyboard = false): void {
    if (point === this.current) return;
    this.current = point;
    for (const listener of this.listeners) listener(point, isKeyboard);
  }

  // Returns the function that ends it.
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

// The point after a key; undefined: the key has no meaning here.
export function pointAfterKey(
  key: string,
  point: number | undefined,
  first: number,
  last: number,
): number | undefined {
  switch (key) {
    case "ArrowLeft":
      return Math.max(first, (point ?? last + 1) - 1);
    case "ArrowRight":
      return Math.min(last, (point ?? last) + 1);
    case "Home":
      return first;
    case "End":
      return last;
    default:
      return undefined;
  }
}
