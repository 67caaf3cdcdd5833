// What the page itself knows to be wrong with a new password. The rules are
// the site's, and the server's to judge.
export interface NewPassword {
  readonly old: string;
  readonly password: string;
  readonly repeated: string;
}

// A sentence, or nothing when it may be sent.
export function newPasswordError(entry: NewPassword): string {
  const { old, password, repeated } = entry;
  if (password === "") return "Enter a new password.";
  if (password === old) return "The new password is the old one.";
  if (password !== repeated) return "The two new passwords are not the same.";
  return "";
}
