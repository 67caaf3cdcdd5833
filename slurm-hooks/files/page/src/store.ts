// A state that components and the code outside of them share.
import { useEffect, useState } from "preact/hooks";

export class Store<State, Action> {
  private readonly listeners = new Set<() => void>();

  constructor(
    public state: State,
    private readonly reducer: (state: State, action: Action) => State,
  ) {}

  dispatch = (action: Action): void => {
    const next = this.reducer(this.state, action);
    if (next === this.state) return;
    this.state = next;
    for (const listener of this.listeners) listener();
  };

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore<State, Action>(store: Store<State, Action>): State {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    const update = () => setState(store.state);
    update();
    return store.subscribe(update);
  }, [store]);
  return state;
}
