// The environments that the user can start jobs in, for all pages.
import { createContext } from "preact";
import type { ListEnvironmentsResponse } from "#proto/environment";
import { environmentClient } from "../../api/environment";
import { type Query, useQuery } from "../../session/use_query";

// Loaded again when `key` changes.
export function useEnvironmentList(
  key: string,
): Query<ListEnvironmentsResponse> {
  return useQuery(() => environmentClient.listEnvironments({}), key);
}

// undefined: not loaded yet.
export const EnvironmentsContext = createContext<
  ListEnvironmentsResponse | undefined
>(undefined);
