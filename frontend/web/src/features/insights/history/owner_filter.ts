// Whose jobs a page shows: one's own, a project's, or everybody's. In the
// address it is nothing, a project's id, or "everybody".
import { HistoryWhose } from "#proto/history";
import { type Project, ProjectPlace } from "#proto/project";

export const kEverybody = "everybody";

export interface WhoseChoice {
  readonly value: string;
  readonly label: string;
}

// The server decides again. Who sees everybody's jobs sees every project's,
// but only those are listed that they have a place in.
export function whoseChoices(
  projects: readonly Project[],
  seesAll: boolean,
): WhoseChoice[] {
  const managed = projects.filter(
    ({ place }) =>
      place === ProjectPlace.OWNER || place === ProjectPlace.MANAGER,
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

export function whoseOf(value: string): {
  whose: HistoryWhose;
  project: string;
} {
  if (value === "") return { whose: HistoryWhose.MINE, project: "" };
  return value === kEverybody
    ? { whose: HistoryWhose.EVERYBODY, project: "" }
    : { whose: HistoryWhose.PROJECT, project: value };
}
