// Creates a user's own image from a source file.
import { useState } from "preact/hooks";
import { ImageSource } from "#proto/image";
import { imageClient } from "../../api/image";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { sourceChoices } from "./image_source";
import { messages } from "#messages/images";

export function ImportForm(props: {
  onDone(what: string): void;
  close(): void;
}) {
  const { onDone, close } = props;
  const mutation = useMutation();
  const [name, setName] = useState("");
  const [source, setSource] = useState(ImageSource.SIF);
  const [path, setPath] = useState("");
  const [description, setDescription] = useState("");
  const chosen = sourceChoices.find((choice) => choice.source === source);
  const ready = name.trim() !== "" && path.trim() !== "";

  const submit = (event: Event) => {
    event.preventDefault();
    if (!ready) return;
    void mutation.run(async () => {
      const { image } = await imageClient.importImage({
        name: name.trim(),
        source,
        path: path.trim(),
        description: description.trim(),
      });
      onDone(messages.imageBuildStarted({ id: image?.id ?? name }));
    });
  };
  return (
    <form class="narrow-form" data-testid="import-form" onSubmit={submit}>
      <label class="stacked">
        <span>{messages.nameAndVersion}</span>
        <input
          data-testid="import-name"
          autocomplete="off"
          spellcheck={false}
          placeholder={messages.exampleName}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="stacked">
        <span>{messages.from}</span>
        <select
          data-testid="import-source"
          value={source}
          onChange={(event) => setSource(Number(event.currentTarget.value))}
        >
          {sourceChoices.map((choice) => (
            <option key={choice.source} value={choice.source}>
              {choice.label}
            </option>
          ))}
        </select>
      </label>
      <label class="stacked">
        <span>{messages.path}</span>
        <input
          data-testid="import-path"
          autocomplete="off"
          spellcheck={false}
          placeholder={chosen?.example}
          value={path}
          onInput={(event) => setPath(event.currentTarget.value)}
        />
        <span class="hint">{chosen?.hint}</span>
      </label>
      <label class="stacked">
        <span>{messages.description}</span>
        <input
          data-testid="import-description"
          autocomplete="off"
          maxLength={200}
          value={description}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </label>
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="import-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="import-start"
          aria-disabled={mutation.busy || !ready}
        >
          {mutation.busy ? messages.submitting : messages.buildImage}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}
