// A form's text fields as they stand in an address, so that a filtered page can
// be linked and comes back with the browser's "Back".

export function formOfQuery<Field extends string>(
  fields: readonly Field[],
  query: string,
): Readonly<Record<Field, string>> {
  const params = new URLSearchParams(query);
  const entries = fields.map((field) => [field, params.get(field) ?? ""]);
  return Object.fromEntries(entries) as Record<Field, string>;
}

// Of the fields that are filled in, without blanks around them.
export function queryOfForm<Field extends string>(
  fields: readonly Field[],
  form: Readonly<Record<Field, string>>,
): string {
  const params = new URLSearchParams();
  for (const field of fields) {
    const value = form[field].trim();
    if (value) params.set(field, value);
  }
  return params.toString();
}
