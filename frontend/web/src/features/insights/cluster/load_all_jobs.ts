// The live jobs of all users, for support and administrators.
import type { OwnedJob } from "#proto/admin";
import type { JobState } from "#proto/jobs";
import { adminClient } from "../../../api/admin";

const kPageSize = 1000;
const kMaxPages = 10;

export async function loadAllJobs(
  states: readonly JobState[],
): Promise<readonly OwnedJob[]> {
  const all: OwnedJob[] = [];
  let pageToken = "";
  for (let page = 0; page < kMaxPages; page++) {
    const response = await adminClient.listAllJobs({
      filter: { states: [...states] },
      pageSize: kPageSize,
      pageToken,
    });
    all.push(...response.jobs);
    pageToken = response.nextPageToken;
    if (!pageToken) break;
  }
  return all;
}
