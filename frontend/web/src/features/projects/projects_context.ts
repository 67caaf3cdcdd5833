// The projects of the one who is logged in, for every part of the page that
// needs their names. Loaded with the page, and again after each change and
// whenever there are news (the newest notification is another one): somebody else
// may have changed something.
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
