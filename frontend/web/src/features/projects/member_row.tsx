import { useState } from "preact/hooks";
import type { Project, ProjectMember } from "#proto/project";
import { applyMemberAction } from "../../api/project";
import { formatDay } from "../../lib/format/moment";
import { useMutation } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import {
  type ActionLabel,
  memberActions,
  locationLabel,
} from "./project_labels";
import { messages } from "#messages/projects";

const kOther = "button button-small";
const kMain = `${kOther} button-primary`;

export function MemberRow(props: {
  project: Project;
  member: ProjectMember;
  onDone(what: string, project: Project | undefined): void;
}) {
  const { project, member, onDone } = props;
  const { username, displayName, self, approvedBy, confirmedBy } = member;
  const mutation = useMutation();
  const [asked, setAsked] = useState<ActionLabel>();
  const role = locationLabel(member.role);

  const run = (label: ActionLabel) =>
    mutation.run(async () => {
      const answer = await applyMemberAction(
        label.action,
        project.id,
        username,
      );
      setAsked(undefined);
      onDone(label.done, answer.project);
    });
  const close = () => {
    setAsked(undefined);
    mutation.clearFailure();
  };
  return (
    <li class="row" data-testid={`member-${username}`} data-own={self}>
      <Icon name="people" />
      <div class="row-what">
        <p class="row-title">
          {username}
          {self && ` ${messages.you}`}{" "}
          <span class="state" data-tone={role.tone}>
            {role.text}
          </span>
        </p>
        <p class="muted small facts-line">
          {displayName && displayName !== username && (
            <span>{displayName}</span>
          )}
          <span>
            {messages.since} <Moment at={member.since} format={formatDay} />
          </span>
          {approvedBy && (
            <span>{messages.approvedBy({ name: approvedBy })}</span>
          )}
          {confirmedBy && (
            <span>{messages.confirmedBy({ name: confirmedBy })}</span>
          )}
        </p>
        {mutation.failure && !asked && (
          <FailureNote failure={mutation.failure} />
        )}
      </div>
      <div class="button-row">
        {memberActions(member).map((label) => (
          <button
            key={label.action}
            class={label.main ? kMain : kOther}
            type="button"
            data-testid={`member-act-${label.action}-${username}`}
            aria-disabled={mutation.busy}
            onClick={() => (label.ask ? setAsked(label) : void run(label))}
          >
            {label.label}
          </button>
        ))}
      </div>
      {asked && (
        <ConfirmDialog
          title={
            self
              ? messages.leaveProject
              : messages.confirmAction({
                  action: asked.label.replace("…", ""),
                  name: username,
                })
          }
          mutation={mutation}
          confirm={asked.label.replace("…", "")}
          onConfirm={() => void run(asked)}
          close={close}
        >
          <p>{asked.ask}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
