// A form and a text that follow each other. The server reads the text into the
// form, and writes what changed in the form into the text. An invalid text leaves
// the form as it was.
import type { EnvironmentProblem } from "#proto/environment";
import type { EnvironmentForm } from "#proto/environment_form";
import type { Failure } from "../../../api/failure";
import {
  draftOf,
  type FormDraft,
  formOf,
  repeatedIn,
  sameForm,
} from "./form_draft";

export interface FormSync {
  readonly form: EnvironmentForm | undefined; // of the last valid text
  readonly draft: FormDraft | undefined; // what the form shows
  readonly text: string | undefined; // the text that was read last
  readonly isTextInvalid: boolean;
  readonly problems: readonly EnvironmentProblem[];
  readonly failure: Failure | undefined;
}

export const kUnread: FormSync = {
  form: undefined,
  draft: undefined,
  text: undefined,
  isTextInvalid: false,
  problems: [],
  failure: undefined,
};

// Refusals of earlier settings are no longer true.
export function withDraft(sync: FormSync, draft: FormDraft): FormSync {
  return { ...sync, draft, problems: sync.isTextInvalid ? sync.problems : [] };
}

// The form has an edit that is not in the text yet.
export function isEdited({ form, draft }: FormSync): boolean {
  return (
    form !== undefined &&
    draft !== undefined &&
    !sameForm(formOf(draft, form), form)
  );
}

// The edit cannot be written until the form or the text is corrected.
export function isRefused(sync: FormSync): boolean {
  return isEdited(sync) && (hasRepeated(sync) || sync.problems.length > 0);
}

// What to ask the server for; undefined: form and text are the same, or the form
// cannot be written.
export function nextCall(
  sync: FormSync,
  text: string,
  isReadOnly = false, // the text is never written
): "read" | "write" | undefined {
  if (!isReadOnly && isEdited(sync)) {
    return hasRepeated(sync) ? undefined : "write";
  }
  return sync.text === text ? undefined : "read";
}

// `form` is undefined if the text has problems.
export function afterReading(
  sync: FormSync,
  text: string,
  form: EnvironmentForm | undefined,
  problems: readonly EnvironmentProblem[],
): FormSync {
  const read = { ...sync, text, problems, failure: undefined };
  if (!form) return { ...read, isTextInvalid: true };
  return { ...read, ...shown(sync, form), isTextInvalid: false };
}

// `text` is the new one. Problems with a line are the text's, others the form's.
export function afterWriting(
  sync: FormSync,
  text: string,
  form: EnvironmentForm | undefined,
  problems: readonly EnvironmentProblem[],
): FormSync {
  const written = { ...sync, problems, failure: undefined };
  if (!form) {
    const isTextInvalid = problems.some(({ line }) => line > 0);
    return { ...written, isTextInvalid };
  }
  return { ...written, ...shown(sync, form), text, isTextInvalid: false };
}

function hasRepeated({ form, draft }: FormSync): boolean {
  return (
    form !== undefined &&
    draft !== undefined &&
    repeatedIn(draft.variables, form).length > 0
  );
}

// What a person types stays as it is while it means the same.
function shown(
  { draft }: FormSync,
  form: EnvironmentForm,
): Pick<FormSync, "form" | "draft"> {
  const isSame = draft !== undefined && sameForm(formOf(draft, form), form);
  return { form, draft: isSame ? draft : draftOf(form) };
}
