// The entries of the command palette, and the search in them.
import type { GetClusterResponse } from "#proto/cluster";
import { type Job, JobState } from "#proto/jobs";
import { hrefOf, jobHref, userHref } from "../routes/route";
import { startableApps } from "../features/start/form/start_form";
import type { IconName } from "../ui/icon";
import { appIcon } from "../ui/app_icon";
import type { NavigationLink } from "./navigation";
import { messages } from "#messages/app";

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: string;
  readonly icon: IconName;
  // An address in the application, or the job whose app is to be opened.
  readonly href?: string;
  readonly job?: Job;
}

const kMaxJobs = 10;

export function commands(context: {
  links: readonly NavigationLink[];
  jobs: readonly Job[];
  cluster: GetClusterResponse | undefined;
}): readonly Command[] {
  const { links, jobs, cluster } = context;
  const interactive = ({ spec }: Job) => !spec?.batch && !spec?.linkedTo;
  const open = jobs
    .filter((job) => job.state === JobState.READY && interactive(job))
    .map((job) => ({
      id: `open-${job.id}`,
      label: messages.openJob({ job: job.spec?.name ?? job.id }),
      group: messages.runningJobs,
      icon: "open" as const,
      job,
    }));
  const show = jobs
    .filter(({ state }) => state !== JobState.ENDED)
    .slice(0, kMaxJobs)
    .map((job) => ({
      id: `job-${job.id}`,
      label: messages.goToJob({ job: job.spec?.name ?? job.id }),
      group: messages.runningJobs,
      icon: "list" as const,
      href: jobHref(job.id),
    }));
  const start = (cluster ? startableApps({ app: "" }, cluster) : []).map(
    ({ id, name, icon }) => ({
      id: `start-${id}`,
      label: messages.startApp({ app: name }),
      group: messages.start,
      icon: appIcon(icon),
      href: hrefOf("dashboard", new URLSearchParams({ app: id }).toString()),
    }),
  );
  const pages = links.map(({ page, label, icon }) => ({
    id: `page-${page}`,
    label,
    group: messages.pages,
    icon,
    href: hrefOf(page),
  }));
  const own = kAccountPages.map(([page, label]) => ({
    id: `page-${page}`,
    label,
    group: messages.pages,
    icon: "shield" as const,
    href: hrefOf(page),
  }));
  return [...open, ...start, ...show, ...pages, ...own];
}

const kAccountPages = [
  ["history", messages.jobHistory],
  ["security", messages.accountAndSecurity],
  ["tokens", messages.accessTokens],
  ["images", messages.images],
  ["limits", messages.limits],
  ["notifications", messages.notifications],
] as const;

// The commands that contain every word of the text; those whose label starts
// with it come first. An administrator can also go to a user of that name.
export function matching(
  all: readonly Command[],
  text: string,
  administers: boolean,
): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(({ label }) =>
    words.every((word) => label.toLowerCase().includes(word)),
  );
  const wanted = text.trim().toLowerCase();
  const starts = ({ label }: Command) =>
    wanted !== "" && label.toLowerCase().startsWith(wanted);
  const ordered = [
    ...found.filter(starts),
    ...found.filter((one) => !starts(one)),
  ];
  if (!administers || !/^[^\s]+$/.test(text.trim())) return ordered;
  const username = text.trim();
  return [
    ...ordered,
    {
      id: "user",
      label: messages.goToUser({ username }),
      group: messages.pages,
      icon: "people",
      href: userHref(username),
    },
  ];
}
