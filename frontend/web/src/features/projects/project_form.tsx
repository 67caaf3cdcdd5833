// Creates a project or changes its settings.
import { useState } from "preact/hooks";
import { type Project, ProjectState } from "#proto/project";
import { projectClient } from "../../api/project";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import {
  CheckField,
  SelectField,
  TextArea,
  TextField,
} from "../../ui/form/field";
import { messages } from "#messages/projects";

export function ProjectForm(props: {
  project: Project | undefined; // absent: a new project
  classifications: readonly string[];
  onDone(what: string, project: Project): void;
  close(): void;
}) {
  const { project, classifications, onDone, close } = props;
  const before = project?.settings;
  const mutation = useMutation();
  const [name, setName] = useState(before?.name ?? "");
  const [description, setDescription] = useState(before?.description ?? "");
  const [classification, setClassification] = useState(
    before?.classification ?? classifications[0] ?? "",
  );
  const [takesRequests, setTakesRequests] = useState(
    before?.takesRequests ?? true,
  );
  const ready = name.trim() !== "";

  const submit = (event: Event) => {
    event.preventDefault();
    if (!ready) return;
    const settings = {
      name: name.trim(),
      description: description.trim(),
      classification,
      takesRequests,
    };
    void mutation.run(async () => {
      const answer = project
        ? await projectClient.changeProject({ projectId: project.id, settings })
        : await projectClient.createProject({ settings });
      if (answer.project)
        onDone(messageFor(project, answer.project), answer.project);
    });
  };
  return (
    <form class="narrow-form" data-testid="project-form" onSubmit={submit}>
      <TextField
        label={messages.name}
        testId="project-name"
        maxLength={64}
        spellcheck
        value={name}
        onValue={setName}
      />
      <TextArea
        label={messages.description}
        rows={4}
        testId="project-description"
        maxLength={1000}
        spellcheck
        value={description}
        onValue={setDescription}
      />
      <SelectField
        label={messages.classification}
        testId="project-classification"
        value={classification}
        options={classifications.map((word) => [word, word])}
        onValue={setClassification}
      />
      <CheckField
        testId="project-takes-requests"
        checked={takesRequests}
        onChecked={setTakesRequests}
      >
        {messages.anyoneWithTheProjectId}
        <span class="muted small scope-text">
          {messages.youAndTheManagersApprove}
        </span>
      </CheckField>
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="project-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="project-save"
          aria-disabled={mutation.busy || !ready}
        >
          {mutation.busy
            ? messages.saving
            : project
              ? messages.save
              : messages.requestProject}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}

function messageFor(before: Project | undefined, { state }: Project): string {
  if (before) return messages.projectSaved;
  return state === ProjectState.REQUESTED
    ? messages.projectRequestedASiteManager
    : messages.projectCreated;
}
