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

export interface Label {
  readonly text: string;
  readonly tone: "good" | "wait" | "info" | "bad" | "neutral";
}

const kStates: Record<ProjectState, Label> = {
  [ProjectState.UNSPECIFIED]: { text: "unknown", tone: "bad" },
  [ProjectState.REQUESTED]: { text: "pending approval", tone: "wait" },
  [ProjectState.ACTIVE]: { text: "active", tone: "good" },
  [ProjectState.EXPIRED]: { text: "expired", tone: "bad" },
  [ProjectState.CLOSED]: { text: "closed", tone: "neutral" },
};

export function stateLabel({ state }: Project): Label {
  return kStates[state] ?? kStates[ProjectState.UNSPECIFIED];
}

const kPlaces: Record<ProjectRole, Label> = {
  [ProjectRole.UNSPECIFIED]: { text: "not a member", tone: "neutral" },
  [ProjectRole.INVITED]: { text: "invited", tone: "wait" },
  [ProjectRole.REQUESTED]: { text: "requests membership", tone: "wait" },
  [ProjectRole.WAITING]: { text: "pending confirmation", tone: "wait" },
  [ProjectRole.MEMBER]: { text: "member", tone: "good" },
  [ProjectRole.MANAGER]: { text: "manager", tone: "good" },
  [ProjectRole.OWNER]: { text: "owner", tone: "good" },
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
  (name: string) => string,
  ((name: string) => string)?,
])[] = [
  [MemberAction.ACCEPT, "Accept", () => "You accepted the invitation."],
  [MemberAction.APPROVE, "Approve", (name) => `Request of ${name} approved.`],
  [MemberAction.CONFIRM, "Confirm", (name) => `${name} is now a member.`],
  [MemberAction.PROMOTE, "Make manager", (name) => `${name} is now a manager.`],
  [
    MemberAction.DEMOTE,
    "Make member",
    (name) => `${name} is no longer a manager.`,
  ],
  [
    MemberAction.TRANSFER_OWNERSHIP,
    "Transfer ownership…",
    (name) => `${name} is now the owner.`,
    (name) =>
      `${name} becomes the owner and the current owner a manager. Only ${name} can transfer it back.`,
  ],
  [MemberAction.DECLINE, "Decline", () => "You declined the invitation."],
  [MemberAction.WITHDRAW, "Withdraw", () => "Request withdrawn."],
  [MemberAction.REJECT, "Reject", (name) => `Request of ${name} rejected.`],
  [MemberAction.REVOKE, "Revoke", (name) => `Invitation of ${name} revoked.`],
  [
    MemberAction.REFUSE,
    "Reject",
    (name) => `${name} was not confirmed as a member.`,
  ],
  [
    MemberAction.REMOVE,
    "Remove…",
    (name) => `${name} is no longer a member.`,
    (name) =>
      `${name} can no longer start jobs in the project. Running jobs continue.`,
  ],
  [
    MemberAction.LEAVE,
    "Leave…",
    () => "You left the project.",
    () =>
      "You can no longer start jobs in it. To return you need a new invitation or request.",
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
      label: stepsBack ? "Give up manager role" : label,
      done: stepsBack ? "You are no longer a manager." : done(username),
      ...(ask && { ask: ask(username) }),
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
      label: "Approve",
      done: "Project approved.",
    },
    {
      action: ProjectAction.REJECT,
      label: "Reject…",
      done: "Project rejected.",
      ask: "The request is deleted and its owner is notified.",
    },
    {
      action: ProjectAction.REOPEN,
      label: "Reopen",
      done: "Project reopened.",
    },
    {
      action: ProjectAction.CLOSE,
      label: asked ? "Withdraw…" : "Close…",
      done: asked ? "Project request withdrawn." : "Project closed.",
      ask: asked
        ? "The request is deleted."
        : "New jobs cannot start in it. Running jobs continue. An administrator can reopen it.",
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
  return state === ProjectState.EXPIRED ? `ended ${day}` : `until ${day}`;
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
