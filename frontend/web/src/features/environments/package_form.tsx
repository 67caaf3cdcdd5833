// Fields for packages that a job installs into a new image when the environment
// is saved.
import { useState } from "preact/hooks";
import type { ListEnvironmentTemplatesResponse as Gallery } from "#proto/environment_gallery";
import { hasPackages, type PackageDraft } from "./packages";
import { messages } from "#messages/environments";

export function PackageForm(props: {
  gallery: Gallery;
  draft: PackageDraft;
  onDraft(draft: PackageDraft): void;
}) {
  const { gallery, draft, onDraft } = props;
  const { pipAllowed, condaAllowed, baseImages } = gallery;
  // Afterwards the user opens and closes it.
  const [isOpen] = useState(hasPackages(draft));
  const field = (
    name: "pip" | "conda",
    label: string,
    example: string,
    value: string,
  ) => (
    <label class="stacked">
      <span>{label}</span>
      <textarea
        rows={4}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        placeholder={example}
        data-testid={`environment-${name}`}
        value={value}
        onInput={(event) =>
          onDraft({ ...draft, [name]: event.currentTarget.value })
        }
      />
    </label>
  );
  return (
    <details class="package-form" open={isOpen}>
      <summary data-testid="environment-packages">
        {messages.furtherPackages}
      </summary>
      <p class="muted small">{messages.aJobBuildsAnImage}</p>
      <label class="stacked">
        <span>{messages.baseImage}</span>
        <select
          data-testid="environment-base-image"
          value={draft.baseImage}
          onChange={(event) =>
            onDraft({ ...draft, baseImage: event.currentTarget.value })
          }
        >
          {baseImages.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      {draft.debian.length > 0 && (
        <p class="small" data-testid="environment-debian">
          {messages.debianPackages({ packages: draft.debian.join(", ") })}
        </p>
      )}
      {pipAllowed &&
        field("pip", messages.pipPackages, messages.examplePip, draft.pip)}
      {condaAllowed &&
        field(
          "conda",
          messages.condaPackages,
          messages.exampleConda,
          draft.conda,
        )}
    </details>
  );
}
