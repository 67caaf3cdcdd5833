import type { Project } from "#proto/project";

// Of a project that the user does not know: its id.
export function nameOf(id: string, projects: readonly Project[]): string {
  return projects.find((each) => each.id === id)?.settings?.name ?? id;
}
