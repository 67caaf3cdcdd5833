// The text of a field with one name, or several separated by commas, and what is
// known about its names.
import { type Choice, ChoiceKind } from "#proto/choice";
import { parseNames } from "../images/image_lines";
import { messages } from "#messages/choices";

// Names that are checked; of longer lists the first ones.
const kMaxChecked = 16;

export interface FoundChoices {
  readonly choices: readonly Pick<Choice, "value" | "label">[];
  readonly more: boolean;
  readonly complete: boolean;
}

export const kNoChoices: FoundChoices = {
  choices: [],
  more: false,
  complete: false,
};

// The name that is being typed: of a list the last one.
export function typedName(text: string, list: boolean): string {
  return (list ? text.slice(text.lastIndexOf(",") + 1) : text).trim();
}

// The text with that name replaced.
export function withName(text: string, name: string, list: boolean): string {
  const comma = list ? text.lastIndexOf(",") : -1;
  return comma < 0 ? name : `${text.slice(0, comma)}, ${name}`;
}

export function namesIn(text: string, list: boolean): readonly string[] {
  const names = list ? parseNames(text) : [text.trim()];
  return names.filter((name) => name !== "").slice(0, kMaxChecked);
}

// Whether this name certainly does not exist. `found` is of the name as text.
export function isUnknown(
  kind: ChoiceKind,
  name: string,
  found: FoundChoices,
): boolean {
  return (
    found.complete &&
    !found.choices.some(({ value }) => same(kind, value, name))
  );
}

// What to offer: nothing if the only choice is already there.
export function offered(
  kind: ChoiceKind,
  name: string,
  { choices }: FoundChoices,
): FoundChoices["choices"] {
  const only = choices.length === 1 ? choices[0] : undefined;
  return only && same(kind, only.value, name) ? [] : choices;
}

// The directory ignores case, Slurm and Carme do not.
function same(kind: ChoiceKind, a: string, b: string): boolean {
  const ofDirectory = kind === ChoiceKind.USER || kind === ChoiceKind.GROUP;
  return ofDirectory ? a.toLowerCase() === b.toLowerCase() : a === b;
}

// A warning about names that do not exist; empty: none.
export function warningOf(
  kind: ChoiceKind,
  unknown: readonly string[],
): string {
  if (unknown.length === 0) return "";
  const names = unknown.join(", ");
  switch (kind) {
    case ChoiceKind.USER:
    case ChoiceKind.GROUP:
      return messages.notInTheDirectory({ names });
    case ChoiceKind.PROJECT:
    case ChoiceKind.IMAGE:
      return messages.notFound({ names });
    default:
      return messages.notInSlurm({ names });
  }
}

// The id of the only project with this name, or of the project with this id; empty:
// none, or several.
export function projectNamed(text: string, { choices }: FoundChoices): string {
  const wanted = text.trim();
  const found = choices.filter(
    ({ value, label }) => value === wanted || label === wanted,
  );
  return found.length === 1 ? found[0]!.value : "";
}
