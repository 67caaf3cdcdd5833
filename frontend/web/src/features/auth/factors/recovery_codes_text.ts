// The recovery codes as text to save, copy or print.
import { formatDay } from "../../../lib/format/moment";
import { messages } from "#messages/auth";

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
    messages.codesOfUser({ username, host }),
    messages.codesCreatedOn({ day: formatDay(madeAt) }),
    messages.eachCodeReplacesYourSecond,
    "",
    ...codes,
    "",
  ].join("\n");
}
