// The addresses of the pages, after the `#`: the server has only one page. Any
// other fragment is a position on the dashboard.
export const kPaths = {
  dashboard: "/",
  environments: "/environments",
  projects: "/projects",
  reservations: "/reservations",
  history: "/history",
  usage: "/usage",
  cluster: "/cluster",
  security: "/account/security",
  sessions: "/account/sessions",
  tokens: "/account/tokens",
  images: "/account/images",
  limits: "/account/limits",
  notifications: "/account/notifications",
  users: "/admin/users",
  roles: "/admin/roles",
  jobs: "/admin/jobs",
  siteImages: "/admin/images",
  templates: "/admin/templates",
  limitRules: "/admin/limits",
  audit: "/admin/audit",
  logs: "/admin/logs",
  health: "/admin/health",
  maintenance: "/admin/maintenance",
} as const;

export type PlainPage = keyof typeof kPaths;
export type Page = PlainPage | "user" | "unknown";

export interface Route {
  readonly page: Page;
  readonly username: string; // of the page "user", else empty
  readonly query: string; // the part after the "?"
}

const kUser = `${kPaths.users}/`;

export function parseRoute(hash: string): Route {
  if (!hash.startsWith("#/")) return route("dashboard");
  const [path = "", query = ""] = hash.slice(1).split(/\?(.*)/s);
  const names = Object.keys(kPaths) as PlainPage[];
  const page = names.find((name) => kPaths[name] === path);
  if (page) return route(page, "", query);
  const username = path.startsWith(kUser) ? decoded(path, kUser.length) : "";
  return username ? route("user", username, query) : route("unknown");
}

function route(page: Page, username = "", query = ""): Route {
  return { page, username, query };
}

function decoded(path: string, from: number): string {
  try {
    return decodeURIComponent(path.slice(from));
  } catch {
    return ""; // invalid percent-encoding
  }
}

export function hrefOf(page: PlainPage, query = ""): string {
  return `#${kPaths[page]}${query && `?${query}`}`;
}

export function userHref(username: string): string {
  return `#${kUser}${encodeURIComponent(username)}`;
}

export type Area =
  | "dashboard"
  | "environments"
  | "projects"
  | "reservations"
  | "history"
  | "account"
  | "admin";

export function areaOf({ page }: Route): Area {
  if (page === "dashboard" || page === "unknown") return "dashboard";
  if (page === "user") return "admin";
  if (page === "environments" || page === "projects") return page;
  if (page === "reservations") return page;
  if (page === "history" || page === "usage" || page === "cluster") {
    return "history";
  }
  return kPaths[page].startsWith("/admin/") ? "admin" : "account";
}
