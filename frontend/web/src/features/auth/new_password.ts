// Checks a new password before it is sent. The server checks the site's rules.
export interface NewPassword {
  readonly old: string;
  readonly password: string;
  readonly repeated: string;
}

// Returns a message, or "" if the password can be sent.
export function newPasswordError(entry: NewPassword): string {
  const { old, password, repeated } = entry;
  if (password === "") return "Enter a new password.";
  if (password === old)
    return "The new password is the same as the current one.";
  if (password !== repeated) return "The two new passwords do not match.";
  return "";
}
