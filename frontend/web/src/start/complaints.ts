// Everything that is wrong with the form, sorted to the field it belongs to.
import type { Violation } from "#proto/jobs";
import { type FieldName, kFields, type Mistake } from "./start_form";

// Complaints that belong to no field of the form stand beside Start.
export type Place = FieldName | "form";

export interface Complaint {
  readonly message: string;
  readonly limit?: string; // "max_gpus_per_job: 2, set by role user"
}

export type Complaints = Readonly<Partial<Record<Place, readonly Complaint[]>>>;

export function complaintsOf(
  mistakes: readonly Mistake[],
  violations: readonly Violation[],
): Complaints {
  const found: Partial<Record<Place, Complaint[]>> = {};
  const add = (place: Place, complaint: Complaint) => {
    (found[place] ??= []).push(complaint);
  };
  for (const { field, message } of mistakes) add(field, { message });
  for (const violation of violations) {
    const limit = limitWords(violation);
    add(placeOf(violation.field), {
      message: violation.message,
      ...(limit && { limit }),
    });
  }
  return found;
}

// The first place in the order of the form, or undefined when nothing is wrong.
export function firstPlace(complaints: Complaints): Place | undefined {
  return [...kFields, "form" as const].find((place) => complaints[place]);
}

function placeOf(field: string): Place {
  // What is inside of a batch job has a field of its own.
  const inner = field.replace(/^batch\./, "");
  return kFields.find((name) => name === inner) ?? "form";
}

function limitWords({ limit, value, source }: Violation): string {
  if (!limit) return source && `set by ${source}`;
  const named = value ? `${limit}: ${value}` : limit;
  return source ? `${named}, set by ${source}` : named;
}
