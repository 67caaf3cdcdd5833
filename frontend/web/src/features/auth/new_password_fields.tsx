// Two inputs for a new password, with the site's rules.

import { messages } from "#messages/auth";
const kMaxBytes = 1024;

export function NewPasswordFields(props: {
  rules: readonly string[];
  password: string;
  repeated: string;
  onPassword(text: string): void;
  onRepeated(text: string): void;
}) {
  const { rules, password, repeated } = props;
  return (
    <>
      {rules.length > 0 && (
        <ul class="rules" id="password-rules">
          {rules.map((rule) => (
            <li key={rule} class="sentence">
              {rule}
            </li>
          ))}
        </ul>
      )}
      <label class="stacked">
        <span>{messages.newPassword}</span>
        <input
          data-testid="password-new"
          type="password"
          name="new-password"
          autocomplete="new-password"
          maxLength={kMaxBytes}
          aria-describedby={rules.length > 0 ? "password-rules" : undefined}
          value={password}
          onInput={(event) => props.onPassword(event.currentTarget.value)}
        />
      </label>
      <label class="stacked">
        <span>{messages.repeatNewPassword}</span>
        <input
          data-testid="password-repeated"
          type="password"
          name="repeated-password"
          autocomplete="new-password"
          maxLength={kMaxBytes}
          value={repeated}
          onInput={(event) => props.onRepeated(event.currentTarget.value)}
        />
      </label>
    </>
  );
}
