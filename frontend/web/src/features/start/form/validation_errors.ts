// The validation errors of the form, by field.
import type { Violation } from "#proto/jobs";
import {
  type FieldName,
  kFields,
  type ParseError,
  type StartForm,
} from "./start_form";
import { hasServerTexts } from "../../../lib/language/locale";
import { messages } from "#messages/start";
import { violationLabel } from "./violation_labels";

// Errors without a field are shown next to Start.
export type Place = FieldName | "form";

export interface ValidationError {
  readonly message: string;
  readonly limit?: string; // "max_gpus_per_job: 2, set by role user"
}

export type ValidationErrors = Readonly<
  Partial<Record<Place, readonly ValidationError[]>>
>;

export function validationErrorsOf(
  parseErrors: readonly ParseError[],
  violations: readonly Violation[],
): ValidationErrors {
  const found: Partial<Record<Place, ValidationError[]>> = {};
  for (const { field, message } of parseErrors) {
    (found[field] ??= []).push({ message });
  }
  // A field that cannot be parsed was not sent, so violations of it are old.
  const unread = new Set<Place>(parseErrors.map(({ field }) => field));
  for (const violation of tightest(violations)) {
    const place = placeOf(violation.field);
    if (unread.has(place)) continue;
    const limit = limitLabel(violation);
    (found[place] ??= []).push({
      message: messageOf(violation),
      ...(limit && { limit }),
    });
  }
  return found;
}

// Fields whose limits are numbers of the same thing.
const kCounts: readonly string[] = ["gpusPerNode", "nodes", "cpusPerNode"];

function isCount({ field, limit, value }: Violation): boolean {
  return (
    kCounts.includes(field) && !limit.includes("hours") && /^\d+$/.test(value)
  );
}

// The server explains a violation in English only.
function messageOf(violation: Violation): string {
  const { limit, value, message } = violation;
  if (hasServerTexts()) return message;
  const label = violationLabel(violation);
  if (label) return label;
  const isMaximum = isCount(violation) && limit.startsWith("max_");
  return isMaximum ? messages.atMost({ max: Number(value) }) : message;
}

// Of several limits that one field exceeds, only the lowest one: who meets it
// meets the others.
function tightest(violations: readonly Violation[]): readonly Violation[] {
  return violations.filter((violation) => {
    if (!isCount(violation)) return true;
    const [lowest] = violations
      .filter((other) => other.field === violation.field && isCount(other))
      .sort((a, b) => Number(a.value) - Number(b.value));
    return violation === lowest;
  });
}

// The user's interaction with the form since it was blank or last started a
// job.
export interface FormHistory {
  readonly form: StartForm;
  readonly baseline: StartForm; // the form at that time
  readonly attempted: boolean; // the user selected Start
  readonly linked: boolean; // a link filled the form in
}

// The errors to show in red. Errors of untouched fields are shown after the
// first attempt to start, server errors after the first change: a job that has
// just started must not turn the form red because it counts against a limit.
export function visibleErrors(
  parseErrors: readonly ParseError[],
  violations: readonly Violation[],
  { form, baseline, attempted, linked }: FormHistory,
): ValidationErrors {
  if (attempted || linked) return validationErrorsOf(parseErrors, violations);
  const edited = kFields.filter((name) => form[name] !== baseline[name]);
  return validationErrorsOf(
    parseErrors.filter(({ field }) => edited.includes(field)),
    edited.length > 0 ? violations : [],
  );
}

// The first field with an error in the order of the form, or undefined.
export function firstPlace(
  validationErrors: ValidationErrors,
): Place | undefined {
  return [...kFields, "form" as const].find((place) => validationErrors[place]);
}

function placeOf(field: string): Place {
  // Fields of the batch job have their own inputs.
  const inner = field.replace(/^batch\./, "");
  return kFields.find((name) => name === inner) ?? "form";
}

function limitLabel({ limit, value, source }: Violation): string {
  if (!limit) return source && messages.setBy({ source });
  const named = value ? messages.limitWithValue({ limit, value }) : limit;
  return source ? messages.limitSetBy({ limit: named, source }) : named;
}
