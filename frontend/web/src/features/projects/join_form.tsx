// Requests membership in a project by its ID.
import { useState } from "preact/hooks";
import type { Project } from "#proto/project";
import { projectClient } from "../../api/project";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { TextField } from "../../ui/form/field";
import { messages } from "#messages/projects";

export function JoinForm(props: {
  id?: string; // from an invitation link
  onDone(what: string, asked: Project): void;
  close(): void;
}) {
  const { onDone, close } = props;
  const mutation = useMutation();
  const [id, setId] = useState(props.id ?? "");
  const projectId = id.trim();

  const submit = (event: Event) => {
    event.preventDefault();
    if (projectId === "") return;
    void mutation.run(async () => {
      const { project } = await projectClient.requestMembership({ projectId });
      if (project) onDone(messages.requestSentAManagerOf, project);
    });
  };
  return (
    <form class="narrow-form" data-testid="join-form" onSubmit={submit}>
      <TextField
        label={messages.projectId}
        hint={messages.n16CharactersAskAMember}
        class="mono"
        testId="join-id"
        maxLength={64}
        value={id}
        onValue={setId}
      />
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="join-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="join-ask"
          aria-disabled={mutation.busy || projectId === ""}
        >
          {mutation.busy ? messages.sending : messages.requestMembership}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}
