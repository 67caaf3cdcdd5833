// What this browser remembers of the page.
import { kColumns, kDefaultOrder, type Order } from "./folder/sort";

const kKey = "carme-files";

export interface Settings {
  order: Order;
  showHidden: boolean;
}

export function settingsOf(stored: string | null): Settings {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? "null");
  } catch {
    value = null;
  }
  const fields = Object(value) as Record<string, unknown>;
  const column = kColumns.find((name) => name === fields["column"]);
  return {
    order: column
      ? { column, descending: fields["descending"] === true }
      : kDefaultOrder,
    showHidden: fields["showHidden"] === true,
  };
}

export function loadSettings(): Settings {
  try {
    return settingsOf(localStorage.getItem(kKey));
  } catch {
    return settingsOf(null); // storage is disabled in this browser
  }
}

export function saveSettings({ order, showHidden }: Settings): void {
  try {
    localStorage.setItem(kKey, JSON.stringify({ ...order, showHidden }));
  } catch {
    return;
  }
}
