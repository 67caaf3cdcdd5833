// Links that fill in the start form. A link never starts a job, and sets only
// fields that are safe to read at a glance: no copies, no commands, no files of
// the cluster.
import type { GetClusterResponse } from "#proto/cluster";
import { kPaths } from "../../../routes/route";
import { trimmed } from "./excluded_nodes";
import {
  type FieldName,
  isFile,
  kPlainFields,
  type StartForm,
} from "./start_form";
import { messages } from "#messages/start";

const kCluster = "cluster";
const kLongest = 200; // maximum characters of a value
const kLongestList = 4224; // of the field with 64 names of nodes

export interface LinkValues {
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  readonly validationErrors: readonly string[];
}

// `page` is the address of the application without the fragment. `cluster`: the
// selected one, if there are several.
export function linkOf(form: StartForm, page: string, cluster = ""): string {
  const query = new URLSearchParams();
  if (cluster) query.set(kCluster, cluster);
  for (const field of kPlainFields) {
    const value =
      field === "excludedNodes" ? trimmed(form[field]) : form[field].trim();
    if (value && !(field === "environment" && isFile(value))) {
      query.set(field, value);
    }
  }
  return `${page}#${kPaths.dashboard}?${query}`;
}

// The cluster that the link is for, if the portal has it.
export function clusterOfLink(
  query: string,
  clusters: readonly string[],
): string | undefined {
  const name = new URLSearchParams(query).get(kCluster);
  return clusters.find((known) => known === name);
}

// The server checks the project and the template. `clusters`: the names of
// several.
export function readLink(
  query: string,
  cluster: GetClusterResponse,
  clusters: readonly string[] = [],
): LinkValues {
  const fields: Partial<Record<FieldName, string>> = {};
  const validationErrors: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === kCluster && clusters.length > 0) {
      if (!clusters.includes(value)) {
        const shown = shortened(value);
        validationErrors.push(
          messages.linkValueNotAvailable({
            field: kCluster,
            value: shown,
            available: clusters.join(", "),
          }),
        );
      }
      continue;
    }
    const field = kPlainFields.find((known) => known === name);
    const wrong = field
      ? wrongWith(field, value, cluster)
      : messages.linkUnknownField({ name: shortened(name) });
    if (wrong) validationErrors.push(wrong);
    else if (field && field in fields)
      validationErrors.push(messages.linkDuplicateField({ name }));
    else if (field) fields[field] = value;
  }
  return { fields, validationErrors };
}

function wrongWith(
  field: FieldName,
  value: string,
  cluster: GetClusterResponse,
): string {
  const max = field === "excludedNodes" ? kLongestList : kLongest;
  if (value.length > max) {
    return messages.linkValueTooLong({ field, max });
  }
  if (field === "environment" && isFile(value)) {
    return messages.linkEnvironmentFile({ path: shortened(value) });
  }
  const known = offered(field, cluster);
  if (value === "" || !known || known.includes(value)) return "";
  const shown = shortened(value);
  return known.length > 0
    ? messages.linkValueNotAvailable({
        field,
        value: shown,
        available: known.join(", "),
      })
    : messages.linkValueNotAvailableNone({ field, value: shown });
}

// undefined: any value is allowed.
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
