// The order of rows: folders first, then by one column, and equal rows by name.
import type { Row } from "./rows";

export const kColumns = ["name", "size", "modified", "mode"] as const;
export type Column = (typeof kColumns)[number];

export interface Order {
  column: Column;
  descending: boolean;
}

export const kDefaultOrder: Order = { column: "name", descending: false };

// "file2" is before "file10", as people count.
export type Compare = (a: string, b: string) => number;

export function nameCompare(locale: string): Compare {
  const collator = new Intl.Collator(locale, {
    numeric: true,
    sensitivity: "base",
  });
  return (a, b) => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

// A second selection of the same column turns the order; sizes and times
// start with the largest, which is what one looks for.
export function nextOrder(order: Order, column: Column): Order {
  if (order.column === column) {
    return { column, descending: !order.descending };
  }
  return { column, descending: column === "size" || column === "modified" };
}

export function sortRows(
  rows: readonly Row[],
  order: Order,
  compare: Compare,
): Row[] {
  const sign = order.descending ? -1 : 1;
  const byColumn = (a: Row, b: Row): number => {
    switch (order.column) {
      case "name":
        return compare(a.name, b.name);
      case "size":
        // The size of a folder is that of its list of names: no order.
        return a.kind === "folder" ? 0 : a.size - b.size;
      case "modified":
        return a.modifiedMs - b.modifiedMs;
      case "mode":
        return a.mode < b.mode ? -1 : a.mode > b.mode ? 1 : 0;
    }
  };
  return [...rows].sort((a, b) => {
    const folders = Number(b.kind === "folder") - Number(a.kind === "folder");
    return (
      folders ||
      sign * byColumn(a, b) ||
      compare(a.name, b.name) ||
      (a.path < b.path ? -1 : 1)
    );
  });
}
