// All announcements. Administrators write them; support sees them read-only.
import { useContext, useState } from "preact/hooks";
import {
  type AnnouncementDetails,
  AnnouncementLevel,
} from "#proto/announcement";
import type { Project } from "#proto/project";
import { announcementClient } from "../../api/announcement";
import { projectClient } from "../../api/project";
import { PageTitle } from "../../routes/page_title";
import { useReauthentication } from "../../session/reauthentication_context";
import { mayChange } from "../../session/roles";
import { useSession } from "../../session/session_context";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { ConfirmDialog } from "../../ui/confirm_dialog";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { Panel } from "../../ui/panel";
import { useConfirmation } from "../../ui/toasts";
import { useNow } from "../../ui/use_now";
import { AnnouncementText } from "./announcement_banners";
import { AnnouncementForm } from "./announcement_form";
import { audienceLabel, periodLabel, stateLabel } from "./announcement_labels";
import { AnnouncementsContext } from "./use_announcements";
import { messages } from "#messages/announcements";

export function AnnouncementsPage() {
  const { session } = useSession();
  const changes = mayChange(session);
  const { reload: reloadBanners } = useContext(AnnouncementsContext);
  const loaded = useQuery(() => announcementClient.listAnnouncementDetails({}));
  const { value } = useQuery(() => projectClient.listProjects({ all: true }));
  const projects = value?.projects ?? [];
  const confirm = useConfirmation();
  const [edited, setEdited] = useState<"new" | AnnouncementDetails>();
  const done = (what: string) => {
    confirm(what);
    setEdited(undefined);
    void loaded.reload();
    void reloadBanners();
  };
  return (
    <>
      <PageTitle text={messages.announcements} />
      {edited && (
        <Panel title={edited === "new" ? messages.new : messages.change}>
          <AnnouncementForm
            key={edited === "new" ? "" : edited.announcement?.id}
            details={edited === "new" ? undefined : edited}
            projects={projects}
            onDone={done}
            close={() => setEdited(undefined)}
          />
        </Panel>
      )}
      <Panel
        title={messages.all}
        about={messages.about}
        testId="announcements"
        actions={
          changes &&
          !edited && (
            <button
              class="button button-small"
              type="button"
              data-testid="announcement-new"
              onClick={() => setEdited("new")}
            >
              <Icon name="plus" /> {messages.new}
            </button>
          )
        }
      >
        <QueryView loaded={loaded}>
          {({ announcements }) => (
            <AnnouncementRows
              announcements={announcements}
              projects={projects}
              changes={changes}
              onEdit={setEdited}
              onDone={done}
            />
          )}
        </QueryView>
      </Panel>
      {!changes && <p class="muted">{messages.onlyAdministrators}</p>}
    </>
  );
}

interface RowProps {
  readonly projects: readonly Project[];
  readonly changes: boolean; // whether to show buttons
  onEdit(details: AnnouncementDetails): void;
  onDone(what: string): void;
}

function AnnouncementRows(
  props: RowProps & { announcements: readonly AnnouncementDetails[] },
) {
  const { announcements, ...rest } = props;
  if (announcements.length === 0) return <p class="muted">{messages.none}</p>;
  return (
    <ul class="rows">
      {announcements.map((details) => (
        <AnnouncementRow
          key={details.announcement?.id}
          details={details}
          {...rest}
        />
      ))}
    </ul>
  );
}

function AnnouncementRow(props: RowProps & { details: AnnouncementDetails }) {
  const { details, projects, changes, onEdit, onDone } = props;
  const { announcement } = details;
  const now = useNow(30_000);
  const [asked, setAsked] = useState(false);
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const title = announcement?.title ?? "";
  const state = stateLabel(details, now);
  const names = new Map(
    projects.map(({ id, settings }) => [id, settings?.name ?? id]),
  );
  const remove = () =>
    void mutation.run(async () => {
      await withReauthentication(() =>
        announcementClient.deleteAnnouncement({ id: announcement?.id ?? "" }),
      );
      onDone(messages.deleted);
    });
  const warns = announcement?.level === AnnouncementLevel.WARNING;
  return (
    <li class="row" data-testid="announcement-row" data-title={title}>
      <Icon name={warns ? "alert" : "bell"} />
      <div class="row-what">
        <p class="row-title">
          {title}{" "}
          <span class="state" data-tone={state.tone}>
            {state.text}
          </span>
        </p>
        {announcement?.text && <AnnouncementText text={announcement.text} />}
        <p class="muted small facts-line">
          <span>{audienceLabel(details, names)}</span>
          <span>{periodLabel(details, now)}</span>
          <span>{messages.setBy({ name: details.setBy })}</span>
        </p>
      </div>
      {changes && (
        <div class="button-row">
          <button
            class="button button-small"
            type="button"
            data-testid="announcement-edit"
            aria-label={messages.changeThis({ title })}
            onClick={() => onEdit(details)}
          >
            {messages.edit}
          </button>
          <button
            class="button button-small"
            type="button"
            data-testid="announcement-delete"
            aria-label={messages.deleteThis({ title })}
            onClick={() => setAsked(true)}
          >
            {messages.remove}
          </button>
        </div>
      )}
      {asked && (
        <ConfirmDialog
          title={messages.delete}
          mutation={mutation}
          confirm={messages.delete}
          onConfirm={remove}
          close={() => setAsked(false)}
        >
          <p>{messages.deleteText({ title })}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
