// Loads the jobs that match a filter page by page, last ended first.
import type { ListHistoryResponse } from "#proto/history";
import { historyClient } from "../../../api/history";
import { type Mutation, useMutation } from "../../../session/use_mutation";
import { type Query, useQuery } from "../../../session/use_query";
import {
  type FilterForm,
  messageOfFilter,
  queryOfFilter,
} from "./history_filter";

const kPage = 50;

export interface HistoryView {
  readonly loaded: Query<ListHistoryResponse>;
  readonly mutation: Mutation; // of loadMore
  loadMore(): void;
}

export function useHistory(form: FilterForm): HistoryView {
  const ask = (pageToken: string) =>
    historyClient.listHistory({
      filter: messageOfFilter(form),
      pageSize: kPage,
      pageToken,
    });
  const loaded = useQuery(() => ask(""), queryOfFilter(form));
  const mutation = useMutation();

  const loadMore = () => {
    const { value, set } = loaded;
    if (!value?.nextPageToken) return;
    void mutation.run(async () => {
      const more = await ask(value.nextPageToken);
      set({ ...more, jobs: [...value.jobs, ...more.jobs] });
    });
  };
  return { loaded, mutation, loadMore };
}
