// Labels for projects, roles and actions. The server decides which actions are
// allowed.
import {
  MemberAction,
  type Project,
  ProjectAction,
  type ProjectMember,
  ProjectRole,
  ProjectState,
} from "#proto/project";
import { formatDay, msOf } from "../../lib/format/moment";
import { messages } from "#messages/projects";

export interface Label {
  readonly text: string;
  readonly tone: "good" | "wait" | "info" | "bad" | "neutral";
}

const kStates: Record<ProjectState, Label> = {
  [ProjectState.UNSPECIFIED]: { text: messages.stateUnknown, tone: "bad" },
  [ProjectState.REQUESTED]: { text: messages.stateRequested, tone: "wait" },
  [ProjectState.ACTIVE]: { text: messages.stateActive, tone: "good" },
  [ProjectState.EXPIRED]: { text: messages.stateExpired, tone: "bad" },
  [ProjectState.CLOSED]: { text: messages.stateClosed, tone: "neutral" },
};

export function stateLabel({ state }: Project): Label {
  return kStates[state] ?? kStates[ProjectState.UNSPECIFIED];
}

const kPlaces: Record<ProjectRole, Label> = {
  [ProjectRole.UNSPECIFIED]: { text: messages.roleNone, tone: "neutral" },
  [ProjectRole.INVITED]: { text: messages.roleInvited, tone: "wait" },
  [ProjectRole.REQUESTED]: { text: messages.roleRequested, tone: "wait" },
  [ProjectRole.WAITING]: { text: messages.roleWaiting, tone: "wait" },
  [ProjectRole.MEMBER]: { text: messages.roleMember, tone: "good" },
  [ProjectRole.MANAGER]: { text: messages.roleManager, tone: "good" },
  [ProjectRole.OWNER]: { text: messages.roleOwner, tone: "good" },
};

export function locationLabel(role: ProjectRole): Label {
  return kPlaces[role] ?? kPlaces[ProjectRole.UNSPECIFIED];
}

export function isMember(role: ProjectRole): boolean {
  return role >= ProjectRole.MEMBER;
}

export interface ActionLabel {
  readonly action: MemberAction;
  readonly main: boolean; // a primary button
  readonly label: string;
  readonly done: string; // the message afterwards
  readonly ask?: string; // the question in a dialog; absent: no dialog
}

// In the order of the buttons.
const kMemberActions: readonly (readonly [
  MemberAction,
  string,
  (of: { name: string }) => string,
  ((of: { name: string }) => string)?,
])[] = [
  [MemberAction.ACCEPT, messages.accept, () => messages.invitationAccepted],
  [MemberAction.APPROVE, messages.approve, messages.requestApproved],
  [MemberAction.CONFIRM, messages.confirm, messages.nowMember],
  [MemberAction.PROMOTE, messages.makeManager, messages.nowManager],
  [MemberAction.DEMOTE, messages.makeMember, messages.noLongerManager],
  [
    MemberAction.TRANSFER_OWNERSHIP,
    messages.transferOwnership,
    messages.nowOwner,
    messages.transferMeans,
  ],
  [MemberAction.DECLINE, messages.decline, () => messages.invitationDeclined],
  [MemberAction.WITHDRAW, messages.withdraw, () => messages.requestWithdrawn],
  [MemberAction.REJECT, messages.reject, messages.requestRejected],
  [MemberAction.REVOKE, messages.revoke, messages.invitationRevoked],
  [MemberAction.REFUSE, messages.reject, messages.notConfirmed],
  [
    MemberAction.REMOVE,
    messages.remove,
    messages.noLongerMember,
    messages.removeMeans,
  ],
  [
    MemberAction.LEAVE,
    messages.leave,
    () => messages.leftProject,
    () => messages.leaveMeans,
  ],
];

// Actions that admit a member.
const kAdmitActions = [
  MemberAction.ACCEPT,
  MemberAction.APPROVE,
  MemberAction.CONFIRM,
];

export function memberActions({
  username,
  self,
  may,
}: ProjectMember): ActionLabel[] {
  const offered = kMemberActions.filter(([action]) => {
    if (!may.includes(action)) return false;
    // Pending members are rejected, not removed.
    return action !== MemberAction.REMOVE || !may.includes(MemberAction.REFUSE);
  });
  return offered.map(([action, label, done, ask]) => {
    // The current user is addressed directly.
    const stepsBack = self && action === MemberAction.DEMOTE;
    return {
      action,
      main: kAdmitActions.includes(action),
      label: stepsBack ? messages.giveUpManagerRole : label,
      done: stepsBack
        ? messages.youAreNoLongerManager
        : done({ name: username }),
      ...(ask && { ask: ask({ name: username }) }),
    };
  });
}

export interface ProjectActionLabel {
  readonly action: ProjectAction;
  readonly main?: boolean;
  readonly label: string;
  readonly done: string;
  readonly ask?: string;
}

export function projectActions({ may, state }: Project): ProjectActionLabel[] {
  const asked = state === ProjectState.REQUESTED;
  const all: readonly ProjectActionLabel[] = [
    {
      action: ProjectAction.APPROVE,
      main: true,
      label: messages.approve,
      done: messages.projectApproved,
    },
    {
      action: ProjectAction.REJECT,
      label: messages.rejectWithQuestion,
      done: messages.projectRejected,
      ask: messages.projectRejectMeans,
    },
    {
      action: ProjectAction.REOPEN,
      label: messages.reopen,
      done: messages.projectReopened,
    },
    {
      action: ProjectAction.CLOSE,
      label: asked ? messages.withdrawWithQuestion : messages.close,
      done: asked ? messages.projectRequestWithdrawn : messages.projectClosed,
      ask: asked ? messages.projectWithdrawMeans : messages.projectCloseMeans,
    },
  ];
  return all.filter(({ action }) => {
    // If both are allowed, only Reject is offered.
    if (action === ProjectAction.CLOSE && may.includes(ProjectAction.REJECT)) {
      return false;
    }
    return may.includes(action);
  });
}

// "until 3 Mar 2027", "ended 1 Jan 2026"; empty without an end.
export function endLabel({ expiresAt, state }: Project): string {
  const ms = msOf(expiresAt);
  if (ms === undefined) return "";
  const day = formatDay(ms);
  return state === ProjectState.EXPIRED
    ? messages.ended({ day })
    : messages.until({ day });
}

// Converts an end to a value of <input type="date"> and back to the end of that
// day in the browser's time zone.
export function dayOf(ms: number | undefined): string {
  if (ms === undefined) return "";
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function endOfDay(day: string): number | undefined {
  const ms = new Date(`${day}T23:59:59`).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

// The projects that can be selected: closed projects only if they are already
// selected.
export function selectable(
  projects: readonly Project[],
  chosen: readonly string[] = [],
): Project[] {
  return projects.filter(
    ({ id, state }) => state !== ProjectState.CLOSED || chosen.includes(id),
  );
}

// The projects in which the user has a role.
export function ownProjects(projects: readonly Project[]): readonly Project[] {
  return projects.filter(({ role }) => role !== ProjectRole.UNSPECIFIED);
}

// The requested projects of others, for site managers.
export function projectsToDecide(
  projects: readonly Project[],
): readonly Project[] {
  return projects.filter(({ role }) => role === ProjectRole.UNSPECIFIED);
}

// Pending projects first, closed projects last.
export function inOrder(projects: readonly Project[]): Project[] {
  const rank = ({ waitingCount, state }: Project) =>
    waitingCount > 0 ? 0 : state === ProjectState.CLOSED ? 2 : 1;
  return [...projects].sort((a, b) => rank(a) - rank(b));
}

// Those whose name, owner or id has the text, in any case.
export function matching(
  projects: readonly Project[],
  search: string,
): readonly Project[] {
  const text = search.trim().toLowerCase();
  if (text === "") return projects;
  return projects.filter(({ id, owner, settings }) =>
    [id, owner, settings?.name ?? ""].some((value) =>
      value.toLowerCase().includes(text),
    ),
  );
}
