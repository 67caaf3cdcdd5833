// A link that fills in the form. It never starts anything, and fills in only
// what shows at a glance what it does: nothing that is copied, no command, and
// no file of the cluster.
import type { GetClusterResponse } from "#proto/cluster";
import { kPaths } from "../../../routes/route";
import {
  type FieldName,
  isFile,
  kPlainFields,
  type StartForm,
} from "./start_form";

const kLongest = 200; // characters of a value

export interface Filling {
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  readonly validationErrors: readonly string[];
}

// `page` is the address of the application, without what is behind the "#".
export function linkOf(form: StartForm, page: string): string {
  const query = new URLSearchParams();
  for (const field of kPlainFields) {
    const value = form[field].trim();
    if (value && !(field === "environment" && isFile(value))) {
      query.set(field, value);
    }
  }
  return `${page}#${kPaths.work}?${query}`;
}

// Whether project and template are one's own the server says, at their fields.
export function readLink(query: string, cluster: GetClusterResponse): Filling {
  const fields: Partial<Record<FieldName, string>> = {};
  const validationErrors: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const field = kPlainFields.find((known) => known === name);
    const wrong = field
      ? wrongWith(field, value, cluster)
      : `"${shortened(name)}" is no field that a link fills in.`;
    if (wrong) validationErrors.push(wrong);
    else if (field && field in fields)
      validationErrors.push(`${name} is given twice.`);
    else if (field) fields[field] = value;
  }
  return { fields, validationErrors };
}

function wrongWith(
  field: FieldName,
  value: string,
  cluster: GetClusterResponse,
): string {
  if (value.length > kLongest) {
    return `${field} has more than ${kLongest} characters.`;
  }
  if (field === "environment" && isFile(value)) {
    return `A link names no environment by its file: "${shortened(value)}".`;
  }
  const known = offered(field, cluster);
  if (value === "" || !known || known.includes(value)) return "";
  const text = known.length > 0 ? known.join(", ") : "none";
  return `${field} "${shortened(value)}" is not offered here: expected one of: ${text}.`;
}

// undefined: any text may stand there.
function offered(
  field: FieldName,
  cluster: GetClusterResponse,
): readonly string[] | undefined {
  switch (field) {
    case "app":
      return cluster.apps.map(({ id }) => id);
    case "image":
      return cluster.images.map(({ id }) => id);
    case "gpuType":
      return cluster.gpuTypes.map(({ type }) => type);
    case "partition":
      return cluster.partitions.map(({ name }) => name);
    default:
      return undefined;
  }
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
