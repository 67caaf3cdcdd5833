// Selects the environment of the job instead of an image: a saved environment,
// or a file on the cluster.
import { hrefOf } from "../../../routes/route";
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";
import { isFile, kFileStart } from "../form/start_form";
import type { EnvironmentNames } from "../use_environments";
import { messages } from "../messages";

const kFile = messages.aFile;

export function EnvironmentChoice(props: {
  names: EnvironmentNames | undefined; // undefined: not available
  chosen: string;
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(environment: string): void;
}) {
  const { names, chosen, validationErrors, onChoose } = props;
  if (!names && !chosen) return null;
  const { own = [], sites = [] } = names ?? {};
  const known = own.includes(chosen) || sites.includes(chosen);
  const options = (list: readonly string[]) =>
    list.map((name) => (
      <option key={name} value={name}>
        {name}
      </option>
    ));
  return (
    <Field
      name="environment"
      label={messages.environment}
      validationErrors={validationErrors}
    >
      {(input) => (
        <>
          <select
            {...input}
            id={isFile(chosen) ? undefined : input.id}
            aria-label={messages.environment}
            value={isFile(chosen) ? kFile : chosen}
            onChange={({ currentTarget: { value } }) =>
              onChoose(value === kFile ? kFileStart : value)
            }
          >
            <option value="">{messages.noneUseAnImage}</option>
            {chosen && !known && !isFile(chosen) && options([chosen])}
            {own.length > 0 && (
              <optgroup label={messages.yourEnvironments}>
                {options(own)}
              </optgroup>
            )}
            {sites.length > 0 && (
              <optgroup label={messages.siteEnvironments}>
                {options(sites)}
              </optgroup>
            )}
            <option value={kFile}>{messages.fileOnTheCluster}</option>
          </select>
          {isFile(chosen) && (
            <input
              id={input.id}
              class="mono"
              aria-label={messages.pathOfTheEnvironmentFile}
              data-testid="field-environment-path"
              autocomplete="off"
              spellcheck={false}
              maxLength={4095}
              value={chosen}
              placeholder={messages.exampleEnvironmentFile}
              onInput={(event) => {
                const { value } = event.currentTarget;
                onChoose(isFile(value) ? value : `${kFileStart}${value}`);
              }}
            />
          )}
          <p class="hint">
            <a href={hrefOf("environments")}>{messages.manageEnvironments}</a>
          </p>
        </>
      )}
    </Field>
  );
}
