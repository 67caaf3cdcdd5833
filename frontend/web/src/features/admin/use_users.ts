// Loads the users that match a filter page by page.
import type { User } from "#proto/admin";
import { adminClient } from "../../api/admin";
import { useDebounced } from "../../lib/use_debounced";
import { type Mutation, useMutation } from "../../session/use_mutation";
import { type Query, useQuery } from "../../session/use_query";

const kPage = 100;

export interface UserList {
  readonly users: readonly User[];
  readonly nextPageToken: string; // empty: there are no further users
}

export interface UsersView {
  readonly loaded: Query<UserList>;
  readonly mutation: Mutation; // of loadMore
  loadMore(): void;
}

export function useUsers(filter: string): UsersView {
  const debounced = useDebounced(filter.trim());
  const ask = (pageToken: string): Promise<UserList> =>
    adminClient.listUsers({
      filter: { search: debounced },
      pageSize: kPage,
      pageToken,
    });
  const loaded = useQuery(() => ask(""), debounced);
  const mutation = useMutation();

  const loadMore = () => {
    const { value, set } = loaded;
    if (!value?.nextPageToken) return;
    void mutation.run(async () => {
      const next = await ask(value.nextPageToken);
      set({ ...next, users: [...value.users, ...next.users] });
    });
  };
  return { loaded, mutation, loadMore };
}
