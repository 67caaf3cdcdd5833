// Messages as scripts/compile_catalogues.mjs compiles them from ICU
// MessageFormat, so that no parser is part of the application.
import { formatNumber, formatPlain } from "../format/number";
import { activeLocale } from "./locale";

export type Part =
  | string
  | readonly [argument: string]
  | readonly [argument: string, format: "number" | "plain"]
  | readonly [
      argument: string,
      choice: "plural" | "selectordinal" | "select",
      cases: Readonly<Record<string, readonly Part[]>>,
    ];

export type Message = string | readonly Part[];
export type Messages = Readonly<Record<string, Message>>;
export type Catalogue = Readonly<Record<string, Messages>>;
export type Arguments = Readonly<Record<string, string | number | bigint>>;

export function formatMessage(parts: readonly Part[], args: Arguments): string {
  return parts.map((part) => formatPart(part, args)).join("");
}

function formatPart(part: Part, args: Arguments): string {
  if (typeof part === "string") return part;
  const value = args[part[0]]!;
  if (part.length === 1) return String(value);
  if (part.length === 2) {
    const format = part[1] === "number" ? formatNumber : formatPlain;
    return format(value as number | bigint);
  }
  const [, choice, cases] = part;
  const chosen =
    choice === "select"
      ? cases[String(value)]
      : (cases[`=${value}`] ??
        cases[pluralRules(choice).select(Number(value))]);
  return formatMessage(chosen ?? cases["other"]!, args);
}

const rulesOf = new Map<string, Intl.PluralRules>();

function pluralRules(choice: "plural" | "selectordinal"): Intl.PluralRules {
  const key = `${activeLocale()} ${choice}`;
  const type = choice === "plural" ? "cardinal" : "ordinal";
  const rules =
    rulesOf.get(key) ?? new Intl.PluralRules(activeLocale(), { type });
  rulesOf.set(key, rules);
  return rules;
}
