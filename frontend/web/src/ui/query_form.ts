// Converts text fields to a query string and back, so that filtered pages can
// be linked.

export function formOfQuery<Field extends string>(
  fields: readonly Field[],
  query: string,
): Readonly<Record<Field, string>> {
  const params = new URLSearchParams(query);
  const entries = fields.map((field) => [field, params.get(field) ?? ""]);
  return Object.fromEntries(entries) as Record<Field, string>;
}

// Only non-empty fields, trimmed.
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
