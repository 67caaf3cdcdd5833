// Whose jobs a page shows: the user's own, a project's, or all. In the address:
// nothing, a project's ID, or "everybody".
import { HistoryScope } from "#proto/history";
import { type Project, ProjectRole } from "#proto/project";
import { messages } from "#messages/insights";

export const kEverybody = "everybody";

export interface OwnerChoice {
  readonly value: string;
  readonly label: string;
}

// The server decides what the user may see. Users who may see all jobs may see
// every project, but the list has only projects in which they have a role.
export function ownerChoices(
  projects: readonly Project[],
  seesAll: boolean,
): OwnerChoice[] {
  const managed = projects.filter(
    ({ role }) => role === ProjectRole.OWNER || role === ProjectRole.MANAGER,
  );
  return [
    { value: "", label: messages.mine },
    ...managed.map(({ id, settings }) => ({
      value: id,
      label: messages.allUsersIn({ project: settings?.name ?? id }),
    })),
    ...(seesAll ? [{ value: kEverybody, label: messages.everybodys }] : []),
  ];
}

export function ownerOf(value: string): {
  scope: HistoryScope;
  project: string;
} {
  if (value === "") return { scope: HistoryScope.MINE, project: "" };
  return value === kEverybody
    ? { scope: HistoryScope.EVERYBODY, project: "" }
    : { scope: HistoryScope.PROJECT, project: value };
}
