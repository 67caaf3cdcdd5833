import { useState } from "preact/hooks";
import type { Project, ProjectMember } from "#proto/project";
import { projectClient } from "../../api/project";
import { formatDay } from "../../lib/format/moment";
import { useAct } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { FailureNote } from "../../ui/failure_note";
import { Icon } from "../../ui/icon";
import { Moment } from "../../ui/moment";
import { type ActWords, memberActs, placeWords } from "./project_labels";

const kOther = "button button-small";
const kMain = `${kOther} button-primary`;

export function MemberRow(props: {
  project: Project;
  member: ProjectMember;
  onDone(what: string, project: Project | undefined): void;
}) {
  const { project, member, onDone } = props;
  const { username, displayName, self, approvedBy, confirmedBy } = member;
  const act = useAct();
  const [asked, setAsked] = useState<ActWords>();
  const place = placeWords(member.place);

  const run = (words: ActWords) =>
    act.run(async () => {
      const answer = await projectClient.actOnMember({
        projectId: project.id,
        username,
        act: words.act,
      });
      setAsked(undefined);
      onDone(words.done, answer.project);
    });
  const close = () => {
    setAsked(undefined);
    act.forget();
  };
  return (
    <li class="row" data-test={`member-${username}`} data-own={self}>
      <Icon name="people" />
      <div class="row-what">
        <p class="row-title">
          {username}
          {self && " (you)"}{" "}
          <span class="state" data-tone={place.tone}>
            {place.text}
          </span>
        </p>
        <p class="muted small facts-line">
          {displayName && displayName !== username && (
            <span>{displayName}</span>
          )}
          <span>
            since <Moment at={member.since} format={formatDay} />
          </span>
          {approvedBy && <span>by {approvedBy}</span>}
          {confirmedBy && <span>confirmed by {confirmedBy}</span>}
        </p>
        {act.failure && !asked && <FailureNote failure={act.failure} />}
      </div>
      <div class="button-row">
        {memberActs(member).map((words) => (
          <button
            key={words.act}
            class={words.main ? kMain : kOther}
            type="button"
            data-test={`member-act-${words.act}-${username}`}
            aria-disabled={act.busy}
            onClick={() => (words.ask ? setAsked(words) : void run(words))}
          >
            {words.label}
          </button>
        ))}
      </div>
      {asked && (
        <ConfirmDialog
          title={
            self
              ? "Leave the project?"
              : `${asked.label.replace("…", "")}: ${username}?`
          }
          act={act}
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
