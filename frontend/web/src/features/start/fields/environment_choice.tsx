// Selects what the job runs in: an image, a saved environment, or an
// environment file on the cluster.
import type { ImageChoice as Image } from "#proto/cluster";
import { hrefOf } from "../../../routes/route";
import { imageName } from "../../images/app_images";
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";
import { type FieldName, isFile, kFileStart } from "../form/start_form";
import type { EnvironmentNames } from "../use_environments";
import { messages } from "#messages/start";

const kFile = messages.aFile;
// Names of environments have no "/" at the start.
const kImage = "/image/";

export function EnvironmentChoice(props: {
  names: EnvironmentNames | undefined; // undefined: not available
  images: readonly Image[]; // images that have the app; the default first
  environment: string;
  image: string; // empty: the default
  manages: boolean; // links to the caller's environments
  validationErrors: readonly ValidationError[] | undefined;
  onField(name: FieldName, value: string): void;
}) {
  const { names, images, environment, image, validationErrors, onField } =
    props;
  const choosesFile = isFile(environment);
  if (!names && !environment && images.length < 2 && !validationErrors) {
    return null;
  }
  const { own = [], sites = [] } = names ?? {};
  const known = own.includes(environment) || sites.includes(environment);
  const first = images[0];
  const lost = image !== "" && !images.some(({ id }) => id === image);
  const inUse = images.find(({ id }) => id === image) ?? first;
  const chosen = choosesFile
    ? kFile
    : environment || (image && image !== first?.id ? kImage + image : "");
  const onChoose = (value: string) => {
    const isImage = value === "" || value.startsWith(kImage);
    onField("image", isImage ? value.slice(kImage.length) : "");
    if (value === kFile) onField("environment", kFileStart);
    else onField("environment", isImage ? "" : value);
  };
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
      {...(names &&
        props.manages && {
          side: (
            <a href={hrefOf("environments")}>{messages.manageEnvironments}</a>
          ),
        })}
    >
      {(input) => (
        <>
          <select
            {...input}
            id={choosesFile ? undefined : input.id}
            aria-label={messages.environment}
            aria-describedby={`image-description ${input["aria-describedby"]}`}
            value={chosen}
            onChange={({ currentTarget: { value } }) => onChoose(value)}
          >
            <optgroup label={messages.images}>
              <option value="">
                {first
                  ? messages.defaultImage({ name: imageName(first.id) })
                  : messages.noImageHasThisApp}
              </option>
              {lost && (
                <option value={kImage + image}>{imageName(image)}</option>
              )}
              {images.slice(1).map(({ id, deprecated }) => (
                <option key={id} value={kImage + id}>
                  {deprecated
                    ? messages.deprecatedImage({ name: imageName(id) })
                    : imageName(id)}
                </option>
              ))}
            </optgroup>
            {environment && !known && !choosesFile && options([environment])}
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
            {names && (
              <option value={kFile}>{messages.fileOnTheCluster}</option>
            )}
          </select>
          {choosesFile && (
            <input
              id={input.id}
              class="mono"
              aria-label={messages.pathOfTheEnvironmentFile}
              data-testid="field-environment-path"
              autocomplete="off"
              spellcheck={false}
              maxLength={4095}
              value={environment}
              placeholder={messages.exampleEnvironmentFile}
              onInput={(event) => {
                const { value } = event.currentTarget;
                onField(
                  "environment",
                  isFile(value) ? value : `${kFileStart}${value}`,
                );
              }}
            />
          )}
          <p id="image-description" class="hint" aria-live="polite">
            {environment ? "" : inUse?.description}
            {!environment &&
              inUse?.deprecated &&
              ` ${messages.thisImageIsDeprecated}`}
          </p>
        </>
      )}
    </Field>
  );
}
