// Creates a project or changes its settings.
import { useState } from "preact/hooks";
import { type Project, ProjectState } from "#proto/project";
import { projectClient } from "../../api/project";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
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
      <label class="stacked">
        <span>{messages.name}</span>
        <input
          data-testid="project-name"
          autocomplete="off"
          maxLength={64}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="stacked">
        <span>{messages.description}</span>
        <textarea
          rows={4}
          data-testid="project-description"
          maxLength={1000}
          value={description}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
      </label>
      <label class="stacked">
        <span>{messages.classification}</span>
        <select
          data-testid="project-classification"
          value={classification}
          onChange={(event) => setClassification(event.currentTarget.value)}
        >
          {classifications.map((word) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          data-testid="project-takes-requests"
          checked={takesRequests}
          onChange={(event) => setTakesRequests(event.currentTarget.checked)}
        />
        <span>
          {messages.anyoneWithTheProjectId}
          <span class="muted small scope-text">
            {messages.youAndTheManagersApprove}
          </span>
        </span>
      </label>
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
