// Checks a new password before it is sent. The server checks the site's rules.
import { messages } from "#messages/auth";

export interface NewPassword {
  readonly old: string;
  readonly password: string;
  readonly repeated: string;
}

// Returns a message, or "" if the password can be sent.
export function newPasswordError(entry: NewPassword): string {
  const { old, password, repeated } = entry;
  if (password === "") return messages.enterANewPassword;
  if (password === old) return messages.theNewPasswordIsTheSame;
  if (password !== repeated) return messages.theTwoNewPasswordsDo;
  return "";
}
