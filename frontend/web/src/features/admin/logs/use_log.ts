// Loads the entries of the service log page by page, newest first.
import type { LogEntry } from "#proto/log";
import { logClient } from "../../../api/admin";
import { type Mutation, useMutation } from "../../../session/use_mutation";
import { type Query, useQuery } from "../../../session/use_query";
import {
  type LogFilterForm,
  messageOfLogFilter,
  queryOfLogFilter,
} from "./log_filter";

const kPage = 100;

export interface LogList {
  readonly entries: readonly LogEntry[];
  readonly nextPageToken: string; // empty: there are no older entries
}

export interface LogView {
  readonly loaded: Query<LogList>;
  readonly mutation: Mutation; // of loadOlder
  loadOlder(): void;
}

export function useLog(form: LogFilterForm): LogView {
  const ask = (pageToken: string): Promise<LogList> => {
    const filter = messageOfLogFilter(form);
    return logClient.listLogEntries({ filter, pageToken, pageSize: kPage });
  };
  const loaded = useQuery(() => ask(""), queryOfLogFilter(form));
  const mutation = useMutation();

  const loadOlder = () => {
    const { value, set } = loaded;
    if (!value?.nextPageToken) return;
    void mutation.run(async () => {
      const older = await ask(value.nextPageToken);
      set({ ...older, entries: [...value.entries, ...older.entries] });
    });
  };
  return { loaded, mutation, loadOlder };
}
