// Selects the app: a tile for each of the first apps, the others on request,
// and a description of the selected one.
import { useState } from "preact/hooks";
import type { App } from "#proto/cluster";
import { appIcon } from "../../../ui/app_icon";
import { Icon } from "../../../ui/icon";
import type { ValidationError } from "../form/validation_errors";
import { ValidationErrorList } from "./field";
import { messages } from "#messages/start";

const kFirst = 3;

export function AppChoice(props: {
  apps: readonly App[];
  chosen: string;
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(id: string): void;
}) {
  const { apps, chosen, validationErrors, onChoose } = props;
  const [all, setAll] = useState(false);
  const description = apps.find(({ id }) => id === chosen)?.description;
  const first = apps.slice(0, kFirst);
  const isFolded =
    !all && apps.length > kFirst + 1 && first.some(({ id }) => id === chosen);
  const shown = isFolded ? first : apps;
  return (
    <fieldset
      class="field app-choice"
      data-testid="field-app"
      aria-describedby="app-description violation-app"
    >
      <legend class="sr-only">{messages.app}</legend>
      <div class="app-tiles">
        {shown.map(({ id, name, icon, ...app }) => (
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
        {isFolded && (
          <button
            class="app-tile app-more"
            type="button"
            data-testid="more-apps"
            onClick={() => setAll(true)}
          >
            <Icon name="plus" />
            {messages.moreApps({ count: apps.length - kFirst })}
          </button>
        )}
      </div>
      <p id="app-description" class="hint app-description" aria-live="polite">
        {description}
      </p>
      <ValidationErrorList place="app" validationErrors={validationErrors} />
    </fieldset>
  );
}
