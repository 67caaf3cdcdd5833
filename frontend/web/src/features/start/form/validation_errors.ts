// The validation errors of the form, by field.
import type { Violation } from "#proto/jobs";
import {
  type FieldName,
  kFields,
  type ParseError,
  type StartForm,
} from "./start_form";
import { messages } from "../messages";

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
  const add = (place: Place, validationError: ValidationError) => {
    (found[place] ??= []).push(validationError);
  };
  for (const { field, message } of parseErrors) add(field, { message });
  for (const violation of violations) {
    const limit = limitLabel(violation);
    add(placeOf(violation.field), {
      message: violation.message,
      ...(limit && { limit }),
    });
  }
  return found;
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
  if (!limit) return source && messages.setBy(source);
  const named = value ? messages.limitWithValue(limit, value) : limit;
  return source ? messages.limitSetBy(named, source) : named;
}
