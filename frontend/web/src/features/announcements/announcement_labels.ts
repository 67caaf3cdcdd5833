// What administrators read about an announcement.
import {
  AnnouncementAudience,
  type AnnouncementDetails,
} from "#proto/announcement";
import { Role } from "#proto/auth";
import { formatMoment, msOf } from "../../lib/format/moment";
import { roleLabel } from "../../session/roles";
import { messages } from "#messages/announcements";

export const kAudiences: readonly (readonly [AnnouncementAudience, string])[] =
  [
    [AnnouncementAudience.EVERYONE, messages.audienceEveryone],
    [AnnouncementAudience.USERS, messages.audienceUsers],
    [AnnouncementAudience.PROJECT, messages.audienceProject],
    [AnnouncementAudience.GROUP, messages.audienceGroup],
    [AnnouncementAudience.ROLE, messages.audienceRole],
  ];

// By the names of the API.
export const kRoles: readonly (readonly [string, string])[] = [
  ["user", roleLabel(Role.USER)],
  ["manager", roleLabel(Role.MANAGER)],
  ["support", roleLabel(Role.SUPPORT)],
  ["admin", roleLabel(Role.ADMIN)],
];

// `projects`: names by id.
export function audienceLabel(
  { audience, audienceName }: AnnouncementDetails,
  projects: ReadonlyMap<string, string>,
): string {
  switch (audience) {
    case AnnouncementAudience.EVERYONE:
      return messages.forEveryone;
    case AnnouncementAudience.PROJECT:
      return messages.forProject({
        name: projects.get(audienceName) ?? audienceName,
      });
    case AnnouncementAudience.GROUP:
      return messages.forGroup({ name: audienceName });
    case AnnouncementAudience.ROLE:
      return messages.forRole({
        name: kRoles.find(([role]) => role === audienceName)?.[1] ?? "",
      });
    default:
      return messages.forUsers;
  }
}

export interface StateLabel {
  readonly text: string;
  readonly tone: "good" | "wait" | "neutral";
}

export function stateLabel(
  { announcement }: AnnouncementDetails,
  now: number,
): StateLabel {
  const start = msOf(announcement?.startsAt) ?? 0;
  const end = msOf(announcement?.endsAt) ?? 0;
  if (end <= now) return { text: messages.stateEnded, tone: "neutral" };
  return start > now
    ? { text: messages.statePlanned, tone: "wait" }
    : { text: messages.stateShown, tone: "good" };
}

export function periodLabel(
  { announcement }: AnnouncementDetails,
  now: number,
): string {
  return messages.period({
    start: formatMoment(msOf(announcement?.startsAt) ?? now, now),
    end: formatMoment(msOf(announcement?.endsAt) ?? now, now),
  });
}
