import type { TokenScope } from "#proto/account";
import { messages } from "#messages/account";

export function ScopeChoice(props: {
  offered: readonly TokenScope[];
  chosen: readonly string[];
  onChosen(scopes: readonly string[]): void;
}) {
  const { offered, chosen, onChosen } = props;
  const toggle = (scope: string) => {
    const without = chosen.filter((each) => each !== scope);
    onChosen(without.length < chosen.length ? without : [...chosen, scope]);
  };
  return (
    <fieldset class="scopes">
      <legend>{messages.scopes}</legend>
      {offered.map(({ scope, text }) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            data-testid={`scope-${scope}`}
            checked={chosen.includes(scope)}
            onChange={() => toggle(scope)}
          />
          <span>
            <span class="sentence scope-text">{text || scope}</span>
            <code class="muted small">{scope}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
