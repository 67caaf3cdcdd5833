// Lists in the active language.
import { activeLocale } from "../language/locale";

// ["a100", "h100", "l40"] → "a100, h100 or l40".
export function formatAlternatives(names: readonly string[]): string {
  return new Intl.ListFormat(activeLocale(), { type: "disjunction" }).format(
    names,
  );
}
