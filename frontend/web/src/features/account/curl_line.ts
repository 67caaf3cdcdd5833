// A line for a shell that shows a new token at work. The token goes through
// curl's standard input: an argument could be read in the list of processes.
const kCalls: readonly (readonly [scope: string, method: string])[] = [
  ["jobs:read", "JobService/ListJobs"],
  ["account:read", "AuthService/GetSession"],
  ["admin:read", "AdminService/ListUsers"],
  ["audit:read", "AuditService/ListAudit"],
  ["projects:read", "ProjectService/ListProjects"],
  ["templates:read", "TemplateService/ListTemplates"],
  ["limits:read", "LimitService/GetLimits"],
  ["reservations:read", "ReservationService/ListReservations"],
  ["images:read", "ImageService/ListImages"],
];

// For the first call that these scopes allow and that changes nothing.
export function curlLine(
  origin: string,
  scopes: readonly string[],
  secret: string,
): string {
  const found = kCalls.find(([scope]) => scopes.includes(scope));
  const method = found?.[1] ?? "JobService/SubmitJob";
  return [
    "curl -H @- -H 'Content-Type: application/json' -d '{}' \\",
    `  ${origin}/carme.v1.${method} \\`,
    `  <<< 'Authorization: Bearer ${secret}'`,
  ].join("\n");
}
