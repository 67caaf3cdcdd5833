// The form for an announcement, and its conversion to the API's message.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AnnouncementAudience,
  type AnnouncementDetails,
  AnnouncementDetailsSchema,
  AnnouncementLevel,
} from "#proto/announcement";
import { dayInput, msOfInputs, timeInput } from "../../lib/format/date_inputs";
import { msOf } from "../../lib/format/moment";
import { FieldError } from "../../lib/field_error";
import { messages } from "#messages/announcements";

const kDayMs = 24 * 3_600_000;

export interface AnnouncementDraft {
  readonly id: string; // empty: a new one
  readonly title: string;
  readonly text: string;
  readonly level: AnnouncementLevel;
  readonly audience: AnnouncementAudience;
  readonly project: string; // its id
  readonly group: string;
  readonly role: string;
  readonly startDay: string; // of <input type="date">; empty: now
  readonly startTime: string;
  readonly endDay: string;
  readonly endTime: string;
}

// Of an announcement, or of a new one for a week.
export function draftOf(
  details: AnnouncementDetails | undefined,
  now: number,
): AnnouncementDraft {
  const { announcement, audience } = details ?? {};
  const start = msOf(announcement?.startsAt);
  const end = msOf(announcement?.endsAt) ?? now + 7 * kDayMs;
  const name = (of: AnnouncementAudience) =>
    audience === of ? (details?.audienceName ?? "") : "";
  return {
    id: announcement?.id ?? "",
    title: announcement?.title ?? "",
    text: announcement?.text ?? "",
    level: announcement?.level ?? AnnouncementLevel.INFO,
    audience: audience ?? AnnouncementAudience.USERS,
    project: name(AnnouncementAudience.PROJECT),
    group: name(AnnouncementAudience.GROUP),
    role: name(AnnouncementAudience.ROLE),
    startDay: start === undefined ? "" : dayInput(start),
    startTime: start === undefined ? "" : timeInput(start),
    endDay: dayInput(end),
    endTime: timeInput(end),
  };
}

export type DetailsOrError =
  | { readonly details: AnnouncementDetails; readonly parseError?: undefined }
  | {
      readonly parseError: FieldError<keyof AnnouncementDraft>;
      readonly details?: undefined;
    };

// The server checks everything else.
export function detailsOf(draft: AnnouncementDraft): DetailsOrError {
  const title = draft.title.trim();
  if (title === "")
    return { parseError: new FieldError("title", messages.enterATitle) };
  const name = audienceNameOf(draft);
  if (name === "") return { parseError: missingName(draft.audience) };
  const end = msOfInputs(draft.endDay, draft.endTime);
  if (end === undefined)
    return { parseError: new FieldError("endDay", messages.enterTheEnd) };
  const startsNow = draft.startDay === "" && draft.startTime === "";
  const start = msOfInputs(draft.startDay, draft.startTime);
  if (!startsNow && start === undefined) {
    return { parseError: new FieldError("startDay", messages.enterTheStart) };
  }
  return {
    details: create(AnnouncementDetailsSchema, {
      announcement: {
        id: draft.id,
        title,
        text: draft.text.replaceAll("\r\n", "\n").trim(),
        level: draft.level,
        ...(start !== undefined && { startsAt: timestampFromMs(start) }),
        endsAt: timestampFromMs(end),
      },
      audience: draft.audience,
      audienceName: name ?? "",
    }),
  };
}

// undefined: the audience has none.
function audienceNameOf(draft: AnnouncementDraft): string | undefined {
  switch (draft.audience) {
    case AnnouncementAudience.PROJECT:
      return draft.project;
    case AnnouncementAudience.GROUP:
      return draft.group.trim();
    case AnnouncementAudience.ROLE:
      return draft.role;
    default:
      return undefined;
  }
}

function missingName(
  audience: AnnouncementAudience,
): FieldError<keyof AnnouncementDraft> {
  if (audience === AnnouncementAudience.PROJECT)
    return new FieldError("project", messages.chooseAProject);
  return audience === AnnouncementAudience.ROLE
    ? new FieldError("role", messages.chooseARole)
    : new FieldError("group", messages.enterAGroup);
}
