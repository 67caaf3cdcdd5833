// Fields for packages that a job installs into a new image when the environment
// is saved.
import { useState } from "preact/hooks";
import type { ListEnvironmentTemplatesResponse as Gallery } from "#proto/environment_gallery";
import { hasPackages, type PackageDraft } from "./packages";
import { SelectField, TextArea } from "../../ui/form/field";
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
    <TextArea
      label={label}
      rows={4}
      autocapitalize="off"
      placeholder={example}
      testId={`environment-${name}`}
      value={value}
      onValue={(value) => onDraft({ ...draft, [name]: value })}
    />
  );
  return (
    <details class="package-form" open={isOpen}>
      <summary data-testid="environment-packages">
        {messages.furtherPackages}
      </summary>
      <p class="muted small">{messages.aJobBuildsAnImage}</p>
      <SelectField
        label={messages.baseImage}
        testId="environment-base-image"
        value={draft.baseImage}
        options={baseImages.map((id) => [id, id])}
        onValue={(baseImage) => onDraft({ ...draft, baseImage })}
      />
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
