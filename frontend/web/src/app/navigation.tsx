// The links of the header to the areas of the application. On a phone they are
// a bar at the lower edge, with the less frequent ones in a menu.
import { type Area, hrefOf, type PlainPage } from "../routes/route";
import { Icon, type IconName } from "../ui/icon";
import { Popover } from "../ui/popover";
import { messages } from "#messages/app";

export interface NavigationLink {
  readonly area: Area;
  readonly page: PlainPage;
  readonly label: string;
  readonly icon: IconName;
  readonly testId: string;
  readonly count: number; // of open requests; 0: none
  readonly main: boolean; // in the bar of a phone
}

export function navigationLinks(offered: {
  environments: boolean;
  reservations: boolean;
  administration: boolean;
  waiting: number; // membership and project requests that the user can decide
}): readonly NavigationLink[] {
  const link = (
    area: Area,
    page: PlainPage,
    icon: IconName,
    testId: string,
    main = false,
  ) => ({ area, page, label: kLabels[area], icon, testId, count: 0, main });
  return [
    link("dashboard", "dashboard", "list", "to-jobs", true),
    link("files", "files", "folder", "to-files", true),
    link("cluster", "cluster", "gauge", "to-cluster", true),
    link("usage", "usage", "chart", "to-usage", true),
    ...(offered.environments
      ? [link("environments", "environments", "layers", "to-environments")]
      : []),
    {
      ...link("projects", "projects", "people", "to-projects"),
      count: offered.waiting,
    },
    ...(offered.reservations
      ? [link("reservations", "reservations", "calendar", "to-reservations")]
      : []),
    ...(offered.administration
      ? [link("admin", "overview", "shield", "to-admin")]
      : []),
  ];
}

const kLabels: Record<Area, string> = {
  dashboard: messages.jobs,
  job: messages.jobs,
  compare: messages.jobs,
  files: messages.files,
  cluster: messages.cluster,
  usage: messages.usage,
  environments: messages.environments,
  projects: messages.projects,
  reservations: messages.reservations,
  admin: messages.administration,
  account: messages.account,
};

export function Navigation(props: {
  links: readonly NavigationLink[];
  area: Area;
}) {
  const { links } = props;
  // the pages of some jobs belong to the jobs
  const isOfJobs = props.area === "job" || props.area === "compare";
  const area = isOfJobs ? "dashboard" : props.area;
  const rest = links.filter(({ main }) => !main);
  return (
    <nav class="nav" aria-label={messages.mainNavigation}>
      {links.map((link) => (
        <Link key={link.page} link={link} area={area} testId={link.testId} />
      ))}
      <Popover
        label={messages.more}
        class="nav-link nav-more"
        testId="nav-more"
        button={
          <>
            <Icon name="menu" /> <span>{messages.more}</span>
          </>
        }
      >
        {() => (
          <div class="menu">
            {rest.map((link) => (
              <Link
                key={link.page}
                link={{ ...link, main: true }}
                area={area}
                testId={`more-${link.testId}`}
              />
            ))}
          </div>
        )}
      </Popover>
    </nav>
  );
}

function Link(props: { link: NavigationLink; area: Area; testId: string }) {
  const { link, area, testId } = props;
  return (
    <a
      class={link.main ? "nav-link" : "nav-link nav-rest"}
      href={hrefOf(link.page)}
      data-testid={testId}
      aria-current={area === link.area ? "page" : undefined}
    >
      <Icon name={link.icon} /> <span>{link.label}</span>
      {link.count > 0 && (
        <>
          {" "}
          <span class="tag tag-wait" data-testid="projects-waiting">
            {link.count} <span class="sr-only">{messages.toReview}</span>
          </span>
        </>
      )}
    </a>
  );
}
