// The addresses of the pages, after the `#`: the server has only one page. Any
// other fragment is a position on the dashboard.
export const kPaths = {
  dashboard: "/",
  files: "/files",
  environments: "/environments",
  projects: "/projects",
  reservations: "/reservations",
  history: "/history",
  usage: "/usage",
  summary: "/summary",
  compare: "/compare",
  cluster: "/cluster",
  security: "/account/security",
  sessions: "/account/sessions",
  tokens: "/account/tokens",
  images: "/account/images",
  limits: "/account/limits",
  notifications: "/account/notifications",
  overview: "/admin/overview",
  users: "/admin/users",
  userPreview: "/admin/preview",
  roles: "/admin/roles",
  jobs: "/admin/jobs",
  nodes: "/admin/nodes",
  gpuUse: "/admin/gpu-use",
  siteImages: "/admin/images",
  templates: "/admin/templates",
  limitRules: "/admin/limits",
  audit: "/admin/audit",
  logs: "/admin/logs",
  health: "/admin/health",
  announcements: "/admin/announcements",
  maintenance: "/admin/maintenance",
} as const;

export type PlainPage = keyof typeof kPaths;
export type Page = PlainPage | "job" | "user" | "node" | "unknown";

export interface Route {
  readonly page: Page;
  readonly username: string; // of the page "user", else empty
  readonly jobId: string; // of the page "job", else empty
  readonly node: string; // of the page "node", else empty
  readonly query: string; // the part after the "?"
}

const kUser = `${kPaths.users}/`;
const kNode = `${kPaths.nodes}/`;
const kJob = /^\/jobs\/([a-z0-9]{1,64})$/;

export function parseRoute(hash: string): Route {
  if (!hash.startsWith("#/")) return route("dashboard");
  const [path = "", query = ""] = hash.slice(1).split(/\?(.*)/s);
  const names = Object.keys(kPaths) as PlainPage[];
  const page = names.find((name) => kPaths[name] === path);
  if (page) return route(page, "", query);
  const jobId = kJob.exec(path)?.[1];
  if (jobId) return { ...route("job", "", query), jobId };
  const username = path.startsWith(kUser) ? decoded(path, kUser.length) : "";
  if (username) return route("user", username, query);
  const node = path.startsWith(kNode) ? decoded(path, kNode.length) : "";
  return node ? { ...route("node", "", query), node } : route("unknown");
}

function route(page: Page, username = "", query = ""): Route {
  return { page, username, jobId: "", node: "", query };
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

// The preview of what this user would see; without a name the page to choose one.
export function userPreviewHref(username = ""): string {
  const query = username && new URLSearchParams({ user: username }).toString();
  return hrefOf("userPreview", query);
}

export function nodeHref(node: string): string {
  return `#${kNode}${encodeURIComponent(node)}`;
}

export function jobHref(id: string, query = ""): string {
  return `#/jobs/${id}${query && `?${query}`}`;
}

export type Area =
  | "dashboard"
  | "job"
  | "compare"
  | "files"
  | "cluster"
  | "environments"
  | "projects"
  | "reservations"
  | "usage"
  | "account"
  | "admin";

export function areaOf({ page }: Route): Area {
  if (page === "dashboard" || page === "unknown") return "dashboard";
  if (page === "job" || page === "compare") return page;
  if (page === "user" || page === "node") return "admin";
  if (page === "environments" || page === "projects") return page;
  if (page === "reservations" || page === "cluster") return page;
  if (page === "files") return page;
  if (page === "history" || page === "usage" || page === "summary") {
    return "usage";
  }
  return kPaths[page].startsWith("/admin/") ? "admin" : "account";
}
