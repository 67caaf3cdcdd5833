// Events of a job that are marked in its plots.
import type { NodeEvent } from "#proto/samples";

export interface Mark {
  readonly atMs: number;
  readonly text: string; // with the node, if there are several
}

// In the order of time, each event once. `own`: of the job itself.
export function marksOf(
  events: readonly NodeEvent[],
  own: readonly Mark[],
  withNode: boolean,
): Mark[] {
  const all = [
    ...own,
    ...events.map(({ timeMs, text, kind, labels }) => ({
      atMs: Number(timeMs),
      text: [text || kind, withNode && labels["node"]]
        .filter(Boolean)
        .join(", "),
    })),
  ];
  const seen = new Set<string>();
  return all
    .filter(({ atMs, text }) => {
      const key = `${atMs} ${text}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => a.atMs - b.atMs);
}
