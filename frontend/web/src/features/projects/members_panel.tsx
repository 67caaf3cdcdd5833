// Members, invitations and requests of a project.
import { useState } from "preact/hooks";
import { type Project, ProjectAction } from "#proto/project";
import { projectClient } from "../../api/project";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { Panel } from "../../ui/panel";
import { MemberRow } from "./member_row";
import { isMember } from "./project_labels";
import { TextField } from "../../ui/form/field";
import { messages } from "#messages/projects";

type Done = (what: string, project: Project | undefined) => void;

export function MembersPanel(props: { project: Project; onDone: Done }) {
  const { project, onDone } = props;
  const coming = project.members.filter(({ role }) => !isMember(role));
  const members = project.members.filter(({ role }) => isMember(role));
  return (
    <>
      {coming.length > 0 && (
        <Panel title={messages.invitationsAndRequests} testId="project-coming">
          <ul class="rows">
            {coming.map((member) => (
              <MemberRow
                key={member.username}
                {...{ project, member, onDone }}
              />
            ))}
          </ul>
        </Panel>
      )}
      <Panel title={messages.members} testId="project-members">
        {project.may.includes(ProjectAction.INVITE) && (
          <InviteForm project={project} onDone={onDone} />
        )}
        <ul class="rows">
          {members.map((member) => (
            <MemberRow key={member.username} {...{ project, member, onDone }} />
          ))}
        </ul>
      </Panel>
    </>
  );
}

function InviteForm({ project, onDone }: { project: Project; onDone: Done }) {
  const mutation = useMutation();
  const [name, setName] = useState("");
  const username = name.trim();
  const submit = (event: Event) => {
    event.preventDefault();
    if (username === "") return;
    void mutation.run(async () => {
      const answer = await projectClient.inviteMember({
        projectId: project.id,
        username,
      });
      setName("");
      onDone(messages.invited({ name: username }), answer.project);
    });
  };
  return (
    <form class="invite" onSubmit={submit}>
      <TextField
        label={messages.inviteAUser}
        testId="invite-name"
        autocapitalize="none"
        maxLength={64}
        placeholder={messages.userName}
        value={name}
        onValue={setName}
      />
      <button
        class="button"
        type="submit"
        data-testid="invite"
        aria-disabled={mutation.busy || username === ""}
      >
        {mutation.busy ? messages.sending : messages.invite}
      </button>
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="invite-failure" />
      )}
    </form>
  );
}
