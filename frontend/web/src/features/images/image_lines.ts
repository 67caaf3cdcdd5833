// Mounts, variables and lists of an image as lines of text.
import type { ImageMount } from "#proto/image";
import { FieldError } from "../../lib/field_error";
import { messages } from "#messages/images";

export type MountFields = Pick<ImageMount, "source" | "target" | "readOnly">;

// "/data", "/data at /mnt", "/data at /mnt, read only".
export function mountLines(mounts: readonly MountFields[]): string {
  return mounts.map(mountLine).join("\n");
}

function mountLine({ source, target, readOnly }: MountFields): string {
  const at = target && target !== source ? ` at ${target}` : "";
  return `${source}${at}${readOnly ? ", read only" : ""}`;
}

const kMount = /^(\S+)(?: at (\S+?))?(, read only)?$/;

// Throws a FieldError about the first invalid line.
export function parseMounts(text: string): MountFields[] {
  return linesOf(text).map((line) => {
    const readOnly = line.endsWith(", read only");
    const rest = readOnly ? line.slice(0, -", read only".length) : line;
    const match = kMount.exec(rest);
    if (!match) {
      throw new FieldError("mounts", messages.invalidMount({ line }));
    }
    return { source: match[1]!, target: match[2] ?? "", readOnly };
  });
}

export function variableLines(
  variables: Readonly<Record<string, string>>,
): string {
  return Object.keys(variables)
    .sort()
    .map((name) => `${name}=${variables[name]}`)
    .join("\n");
}

export function parseVariables(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of linesOf(text)) {
    const equals = line.indexOf("=");
    if (equals < 1) {
      throw new FieldError("variables", messages.invalidVariable({ line }));
    }
    variables[line.slice(0, equals)] = line.slice(equals + 1);
  }
  return variables;
}

// Splits words at commas and spaces.
export function parseList(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

// Splits names at commas; group names can contain spaces.
export function parseNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
