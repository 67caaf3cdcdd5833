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
import { DayAndTime } from "../../ui/day_and_time";
import { FailureNote } from "../../ui/failure_note";
import { AnnouncementBanner } from "./announcement_banners";
import {
  type AnnouncementDraft,
  detailsOf,
  draftOf,
} from "./announcement_draft";
import { kAudiences, kRoles } from "./announcement_labels";
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
  const [parseError, setParseError] = useState("");
  const mutation = useMutation();
  const withReauthentication = useReauthentication();
  const change = (part: Partial<AnnouncementDraft>) => {
    setParseError("");
    setDraft((old) => ({ ...old, ...part }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const result = detailsOf(draft);
    setParseError(result.parseError ?? "");
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
      <label class="stacked">
        <span>{messages.title}</span>
        <input
          data-testid="announcement-title"
          autocomplete="off"
          maxLength={kMaxTitle}
          placeholder={messages.titlePlaceholder}
          value={draft.title}
          onInput={(event) => change({ title: event.currentTarget.value })}
        />
      </label>
      <label class="stacked">
        <span>{messages.text}</span>
        <textarea
          data-testid="announcement-text"
          rows={6}
          maxLength={kMaxText}
          value={draft.text}
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
        <span class="hint">{messages.textHint}</span>
      </label>
      <Choice
        label={messages.level}
        testId="announcement-level"
        value={String(draft.level)}
        options={[
          [String(AnnouncementLevel.INFO), messages.info],
          [String(AnnouncementLevel.WARNING), messages.warning],
        ]}
        onValue={(level) => change({ level: Number(level) })}
      />
      <Choice
        label={messages.audience}
        testId="announcement-audience"
        value={String(draft.audience)}
        options={kAudiences.map(([audience, text]) => [String(audience), text])}
        onValue={(audience) => change({ audience: Number(audience) })}
      />
      <AudienceName draft={draft} projects={props.projects} change={change} />
      <DayAndTime
        label={messages.from}
        hint={messages.startNow}
        testId="announcement-start"
        day={draft.startDay}
        time={draft.startTime}
        onDay={(startDay) => change({ startDay })}
        onTime={(startTime) => change({ startTime })}
      />
      <DayAndTime
        label={messages.end}
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
      {parseError && (
        <div
          class="note note-bad"
          role="alert"
          data-testid="announcement-error"
        >
          <p>{parseError}</p>
        </div>
      )}
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
}) {
  const { draft, projects, change } = props;
  switch (draft.audience) {
    case AnnouncementAudience.PROJECT:
      return (
        <Choice
          label={messages.project}
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
        <Choice
          label={messages.role}
          testId="announcement-role"
          value={draft.role}
          options={[["", messages.select], ...kRoles]}
          onValue={(role) => change({ role })}
        />
      );
    case AnnouncementAudience.GROUP:
      return (
        <label class="stacked">
          <span>{messages.group}</span>
          <input
            data-testid="announcement-group"
            autocomplete="off"
            spellcheck={false}
            value={draft.group}
            onInput={(event) => change({ group: event.currentTarget.value })}
          />
        </label>
      );
    default:
      return null;
  }
}

function Choice(props: {
  label: string;
  testId: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onValue(value: string): void;
}) {
  return (
    <label class="stacked">
      <span>{props.label}</span>
      <select
        data-testid={props.testId}
        value={props.value}
        onChange={(event) => props.onValue(event.currentTarget.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
