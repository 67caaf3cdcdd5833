// The recovery codes as text to save, copy or print.
import { formatDay } from "../../../lib/format/moment";

export interface CodesOwner {
  readonly username: string;
  readonly host: string; // the portal's
}

export function recoveryCodesText(
  codes: readonly string[],
  { username, host }: CodesOwner,
  madeAt: number,
): string {
  return [
    `Carme recovery codes of ${username} at ${host}`,
    `Created on ${formatDay(madeAt)}. Earlier codes are no longer valid.`,
    "Each code replaces your second factor once.",
    "",
    ...codes,
    "",
  ].join("\n");
}
