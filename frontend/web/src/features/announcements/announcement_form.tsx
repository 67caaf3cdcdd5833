// Writes or changes an announcement, with a preview.
import { useState } from "preact/hooks";
import {
  AnnouncementAudience,
  type AnnouncementDetails,
  AnnouncementLevel,
} from "#proto/announcement";
import type { Project } from "#proto/project";
import { announcementClient } from "../../api/announcement";
import { selectable } from "../projects/project_labels";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { DayAndTime } from "../../ui/form/day_and_time";
import { FailureNote } from "../../ui/failure_note";
import { AnnouncementBanner } from "./announcement_banners";
import {
  type AnnouncementDraft,
  detailsOf,
  draftOf,
} from "./announcement_draft";
import { kAudiences, kRoles } from "./announcement_labels";
import { FormError, useFormError } from "../../ui/form/form_error";
import { SelectField, TextArea, TextField } from "../../ui/form/field";
import { messages } from "#messages/announcements";

const kMaxTitle = 120;
const kMaxText = 4000;

export function AnnouncementForm(props: {
  details: AnnouncementDetails | undefined; // undefined: a new one
  projects: readonly Project[];
  onDone(what: string): void;
  close(): void;
}) {
  const [draft, setDraft] = useState(() => draftOf(props.details, Date.now()));
  const { error, setError, errorIdOf } =
    useFormError<keyof AnnouncementDraft>();
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const change = (part: Partial<AnnouncementDraft>) => {
    setError(undefined);
    setDraft((old) => ({ ...old, ...part }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const result = detailsOf(draft);
    setError(result.parseError);
    const { details } = result;
    if (!details) return;
    void mutation.run(async () => {
      await withReauthentication<unknown>(() =>
        draft.id === ""
          ? announcementClient.createAnnouncement({ details })
          : announcementClient.updateAnnouncement({ details }),
      );
      props.onDone(messages.saved);
    });
  };
  return (
    <form
      class="narrow-form"
      data-testid="announcement-form"
      noValidate
      onSubmit={submit}
    >
      <TextField
        label={messages.title}
        errorId={errorIdOf("title")}
        testId="announcement-title"
        maxLength={kMaxTitle}
        placeholder={messages.titlePlaceholder}
        spellcheck
        value={draft.title}
        onValue={(title) => change({ title })}
      />
      <TextArea
        label={messages.text}
        hint={messages.textHint}
        testId="announcement-text"
        rows={6}
        maxLength={kMaxText}
        spellcheck
        value={draft.text}
        onValue={(text) => change({ text })}
      />
      <SelectField
        label={messages.level}
        testId="announcement-level"
        value={draft.level}
        options={[
          [AnnouncementLevel.INFO, messages.info],
          [AnnouncementLevel.WARNING, messages.warning],
        ]}
        onValue={(level) => change({ level })}
      />
      <SelectField
        label={messages.audience}
        testId="announcement-audience"
        value={draft.audience}
        options={kAudiences}
        onValue={(audience) => change({ audience })}
      />
      <AudienceName
        draft={draft}
        projects={props.projects}
        change={change}
        errorIdOf={errorIdOf}
      />
      <DayAndTime
        label={messages.from}
        hint={messages.startNow}
        errorId={errorIdOf("startDay")}
        testId="announcement-start"
        day={draft.startDay}
        time={draft.startTime}
        onDay={(startDay) => change({ startDay })}
        onTime={(startTime) => change({ startTime })}
      />
      <DayAndTime
        label={messages.end}
        errorId={errorIdOf("endDay")}
        testId="announcement-end"
        day={draft.endDay}
        time={draft.endTime}
        onDay={(endDay) => change({ endDay })}
        onTime={(endTime) => change({ endTime })}
      />
      <div class="stacked" data-testid="announcement-preview">
        <span>{messages.preview}</span>
        <AnnouncementBanner
          whole
          announcement={{
            ...draft,
            title: draft.title || messages.titlePlaceholder,
          }}
        />
      </div>
      {error && <FormError {...error} testId="announcement-error" />}
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="announcement-failure" />
      )}
      <div class="button-row">
        <button
          class="button button-primary"
          type="submit"
          data-testid="announcement-save"
          aria-disabled={mutation.busy}
        >
          {mutation.busy ? messages.saving : messages.save}
        </button>
        <button class="button" type="button" onClick={props.close}>
          {messages.cancel}
        </button>
      </div>
    </form>
  );
}

function AudienceName(props: {
  draft: AnnouncementDraft;
  projects: readonly Project[];
  change(part: Partial<AnnouncementDraft>): void;
  errorIdOf(field: keyof AnnouncementDraft): string | undefined;
}) {
  const { draft, projects, change, errorIdOf } = props;
  switch (draft.audience) {
    case AnnouncementAudience.PROJECT:
      return (
        <SelectField
          label={messages.project}
          errorId={errorIdOf("project")}
          testId="announcement-project"
          value={draft.project}
          options={[
            ["", messages.select],
            ...selectable(projects, [draft.project]).map(
              ({ id, settings, owner }) =>
                [id, `${settings?.name ?? id} (${owner})`] as const,
            ),
          ]}
          onValue={(project) => change({ project })}
        />
      );
    case AnnouncementAudience.ROLE:
      return (
        <SelectField
          label={messages.role}
          errorId={errorIdOf("role")}
          testId="announcement-role"
          value={draft.role}
          options={[["", messages.select], ...kRoles]}
          onValue={(role) => change({ role })}
        />
      );
    case AnnouncementAudience.GROUP:
      return (
        <TextField
          label={messages.group}
          errorId={errorIdOf("group")}
          testId="announcement-group"
          value={draft.group}
          onValue={(group) => change({ group })}
        />
      );
    default:
      return null;
  }
}
