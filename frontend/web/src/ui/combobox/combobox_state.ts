// Which option of a combobox is active, by the keyboard (WAI-ARIA, combobox with
// list autocomplete). No option is active until an arrow key chooses one.

export interface ComboboxState {
  readonly open: boolean;
  readonly active: number; // of the options; -1: none
}

export const kClosed: ComboboxState = { open: false, active: -1 };
export const kOpened: ComboboxState = { open: true, active: -1 };

// What a key does; undefined: it is not the combobox's.
export type KeyEffect =
  { readonly state: ComboboxState } | { readonly pick: number } | undefined;

export function effectOf(
  key: string,
  state: ComboboxState,
  count: number, // of options
): KeyEffect {
  const { open, active } = state;
  if (key === "Escape") return open ? { state: kClosed } : undefined;
  if (key === "Enter")
    return open && active >= 0 ? { pick: active } : undefined;
  if (key === "Tab") return undefined;
  if (count === 0) return undefined;
  if (key === "ArrowDown") {
    return { state: { open: true, active: (active + 1) % count } };
  }
  if (key === "ArrowUp") {
    return {
      state: { open: true, active: active <= 0 ? count - 1 : active - 1 },
    };
  }
  return undefined;
}
