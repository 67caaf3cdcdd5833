// The recovery codes as a text to be kept: saved, copied or printed.
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
    `Made on ${formatDay(madeAt)}. Older ones are void.`,
    "Each works once, in place of your second factor.",
    "",
    ...codes,
    "",
  ].join("\n");
}
