// Selects the app: a tile for each app, and a description of the selected one.
import type { App } from "#proto/cluster";
import { appIcon } from "../../../ui/app_icon";
import { Icon } from "../../../ui/icon";
import type { ValidationError } from "../form/validation_errors";
import { ValidationErrorList } from "./field";
import { messages } from "../messages";

export function AppChoice(props: {
  apps: readonly App[];
  chosen: string;
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(id: string): void;
}) {
  const { apps, chosen, validationErrors, onChoose } = props;
  const description = apps.find(({ id }) => id === chosen)?.description;
  return (
    <fieldset
      class="field app-choice"
      data-testid="field-app"
      aria-describedby="app-description violation-app"
    >
      <legend>{messages.app}</legend>
      <div class="app-tiles">
        {apps.map(({ id, name, icon, ...app }) => (
          <label key={id} class="app-tile" title={app.description}>
            <input
              type="radio"
              name="app"
              class="cover-input"
              id={id === chosen ? "field-app" : undefined}
              data-testid={`app-${id}`}
              checked={id === chosen}
              onChange={() => onChoose(id)}
            />
            <Icon name={appIcon(icon)} />
            {name}
          </label>
        ))}
      </div>
      <p id="app-description" class="hint" aria-live="polite">
        {description}
      </p>
      <ValidationErrorList place="app" validationErrors={validationErrors} />
    </fieldset>
  );
}
