// Which rows are in the document: those in view and some around them.
const kMargin = 12;

export interface Window {
  start: number;
  end: number; // exclusive
}

export function visibleRows(
  scrollTop: number,
  height: number,
  rowHeight: number,
  count: number,
): Window {
  const first = Math.floor(scrollTop / rowHeight) - kMargin;
  const last = Math.ceil((scrollTop + height) / rowHeight) + kMargin;
  const start = Math.max(0, Math.min(first, count));
  return { start, end: Math.max(start, Math.min(last, count)) };
}

// The scroll position at which the row is in view, closest to the current one.
export function scrollTopFor(
  at: number,
  scrollTop: number,
  height: number,
  rowHeight: number,
): number {
  const top = at * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height;
  return scrollTop;
}
