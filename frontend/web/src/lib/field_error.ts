// Why a form cannot be sent, and the field that it is about.
export class FieldError<Field extends string = string> extends Error {
  constructor(
    readonly field: Field,
    message: string,
  ) {
    super(message);
  }
}
