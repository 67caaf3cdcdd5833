import type { TokenScope } from "#proto/account";
import { CheckField } from "../../ui/form/field";
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
        <CheckField
          key={scope}
          testId={`scope-${scope}`}
          checked={chosen.includes(scope)}
          onChecked={() => toggle(scope)}
        >
          <span class="sentence scope-text">{text || scope}</span>
          <code class="muted small">{scope}</code>
        </CheckField>
      ))}
    </fieldset>
  );
}
