// Selects the image of the job, if several images have the app.
import type { ImageChoice as Image } from "#proto/cluster";
import { imageName } from "../../images/app_images";
import type { ValidationError } from "../form/validation_errors";
import { Field } from "./field";
import { messages } from "../messages";

export function ImageChoice(props: {
  images: readonly Image[]; // images that have the app
  chosen: string; // empty: the first image
  validationErrors: readonly ValidationError[] | undefined;
  onChoose(id: string): void;
}) {
  const { images, chosen, validationErrors, onChoose } = props;
  if (images.length < 2 && !validationErrors) return null;
  const first = images[0];
  const image = images.find(({ id }) => id === chosen) ?? first;
  const lost = chosen !== "" && image?.id !== chosen;
  return (
    <Field
      name="image"
      label={messages.image}
      validationErrors={validationErrors}
    >
      {(input) => (
        <>
          <select
            {...input}
            aria-describedby={`image-description ${input["aria-describedby"]}`}
            value={chosen === first?.id ? "" : chosen}
            onChange={(event) => onChoose(event.currentTarget.value)}
          >
            <option value="">
              {first
                ? messages.defaultImage(imageName(first.id))
                : messages.noImageHasThisApp}
            </option>
            {lost && <option value={chosen}>{imageName(chosen)}</option>}
            {images.slice(1).map(({ id, deprecated }) => (
              <option key={id} value={id}>
                {deprecated
                  ? messages.deprecatedImage(imageName(id))
                  : imageName(id)}
              </option>
            ))}
          </select>
          <p id="image-description" class="hint" aria-live="polite">
            {image?.description}
            {image?.deprecated && ` ${messages.thisImageIsDeprecated}`}
          </p>
        </>
      )}
    </Field>
  );
}
