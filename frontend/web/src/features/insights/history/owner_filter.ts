// Whose jobs a page shows: one's own, a project's, or everybody's. In the
// address it is nothing, a project's id, or "everybody".
import { HistoryScope } from "#proto/history";
import { type Project, ProjectRole } from "#proto/project";

export const kEverybody = "everybody";

export interface OwnerChoice {
  readonly value: string;
  readonly label: string;
}

// The server decides again. Who sees everybody's jobs sees every project's,
// but only those are listed that they have a role in.
export function ownerChoices(
  projects: readonly Project[],
  seesAll: boolean,
): OwnerChoice[] {
  const managed = projects.filter(
    ({ role }) => role === ProjectRole.OWNER || role === ProjectRole.MANAGER,
  );
  return [
    { value: "", label: "mine" },
    ...managed.map(({ id, settings }) => ({
      value: id,
      label: `everybody's in “${settings?.name ?? id}”`,
    })),
    ...(seesAll ? [{ value: kEverybody, label: "everybody's" }] : []),
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
