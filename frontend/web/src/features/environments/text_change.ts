// The part of a text that another one has differently; undefined: they are equal.
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export function changeOf(old: string, next: string): TextChange | undefined {
  if (old === next) return undefined;
  const max = Math.min(old.length, next.length);
  let from = 0;
  while (from < max && old[from] === next[from]) from++;
  let same = 0; // at the end
  while (same < max - from && old.at(-1 - same) === next.at(-1 - same)) same++;
  return {
    from,
    to: old.length - same,
    insert: next.slice(from, next.length - same),
  };
}
