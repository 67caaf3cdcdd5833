// The settings of a project that only administrators can change.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import { ChoiceKind } from "#proto/choice";
import type { Project } from "#proto/project";
import { projectClient } from "../../api/project";
import { msOf } from "../../lib/format/moment";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { ChoiceField } from "../choices/choice_field";
import { dayOf, endOfDay } from "./project_labels";
import { DateField } from "../../ui/form/field";
import { messages } from "#messages/projects";

export function TermsForm(props: {
  project: Project;
  onDone(what: string, project: Project): void;
  close(): void;
}) {
  const { project, onDone, close } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [day, setDay] = useState(dayOf(msOf(project.expiresAt)));
  const [account, setAccount] = useState(project.account);

  const submit = (event: Event) => {
    event.preventDefault();
    const end = endOfDay(day);
    void mutation.run(async () => {
      const request = {
        projectId: project.id,
        account: account.trim(),
        ...(end !== undefined && { expiresAt: timestampFromMs(end) }),
      };
      const answer = await withReauthentication(() =>
        projectClient.setProjectTerms(request),
      );
      if (answer.project) onDone(messages.projectSaved, answer.project);
    });
  };
  return (
    <form class="narrow-form" data-testid="terms-form" onSubmit={submit}>
      <DateField
        label={messages.endsOn}
        hint={messages.leaveEmptyForNoEnd}
        testId="terms-day"
        value={day}
        onValue={setDay}
      />
      <ChoiceField
        kind={ChoiceKind.ACCOUNT}
        label={messages.slurmAccount}
        hint={messages.leaveEmptyForEachMembers}
        testId="terms-account"
        value={account}
        onValue={setAccount}
      />
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="terms-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="terms-save"
          aria-disabled={mutation.busy}
        >
          {mutation.busy ? messages.saving : messages.save}
        </button>
        <button class="button" type="button" onClick={close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}
