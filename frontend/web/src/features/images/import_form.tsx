// Creates a user's own image from a source file.
import { useState } from "preact/hooks";
import { ImageSource } from "#proto/image";
import { imageClient } from "../../api/image";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { sourceChoices } from "./image_source";
import { SelectField, TextField } from "../../ui/form/field";
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
      <TextField
        label={messages.nameAndVersion}
        testId="import-name"
        placeholder={messages.exampleName}
        value={name}
        onValue={setName}
      />
      <SelectField
        label={messages.from}
        testId="import-source"
        value={source}
        options={sourceChoices.map(({ source, label }) => [source, label])}
        onValue={setSource}
      />
      <TextField
        label={messages.path}
        hint={chosen?.hint}
        testId="import-path"
        placeholder={chosen?.example}
        value={path}
        onValue={setPath}
      />
      <TextField
        label={messages.description}
        testId="import-description"
        maxLength={200}
        spellcheck
        value={description}
        onValue={setDescription}
      />
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
