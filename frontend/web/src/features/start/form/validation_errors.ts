// Everything that is wrong with the form, sorted to the field it belongs to.
import type { Violation } from "#proto/jobs";
import {
  type FieldName,
  kFields,
  type ParseError,
  type StartForm,
} from "./start_form";

// Complaints that belong to no field of the form stand beside Start.
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

// What the user has done with the form since it was blank or last started a job.
export interface FormHistory {
  readonly form: StartForm;
  readonly baseline: StartForm; // the form then
  readonly attempted: boolean; // the user selected Start
  readonly linked: boolean; // a link filled the form in
}

// The complaints that are shown in red. A field that the user has not touched
// is not at fault before they try to start, and what the server refuses is
// shown once the user has changed anything: a job that has just started must
// not turn the form red because it counts against a limit.
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

// The first place in the order of the form, or undefined when nothing is wrong.
export function firstPlace(
  validationErrors: ValidationErrors,
): Place | undefined {
  return [...kFields, "form" as const].find((place) => validationErrors[place]);
}

function placeOf(field: string): Place {
  // What is inside of a batch job has a field of its own.
  const inner = field.replace(/^batch\./, "");
  return kFields.find((name) => name === inner) ?? "form";
}

function limitLabel({ limit, value, source }: Violation): string {
  if (!limit) return source && `set by ${source}`;
  const named = value ? `${limit}: ${value}` : limit;
  return source ? `${named}, set by ${source}` : named;
}
