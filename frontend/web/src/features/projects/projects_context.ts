// The user's projects, for all components that need their names. Loaded with
// the page, after each change, and when a new notification about shared objects
// arrives.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ListProjectsResponse, Project } from "#proto/project";
import { projectClient } from "../../api/project";
import { type Query, useQuery } from "../../session/use_query";
import { ownProjects } from "./project_labels";

const kNone: readonly Project[] = [];

export const ProjectsContext = createContext<readonly Project[]>(kNone);

export function useProjects(): readonly Project[] {
  return useContext(ProjectsContext);
}

export type ProjectList = Query<ListProjectsResponse>;

export function useProjectList(message: string): ProjectList {
  return useQuery(() => projectClient.listProjects({}), message);
}

export function projectsOf({ value }: ProjectList): readonly Project[] {
  return value ? ownProjects(value.projects) : kNone;
}
