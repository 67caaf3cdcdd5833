// What the roles are, and which group of the directory gives which.
import { adminClient } from "../../api/admin";
import { PageTitle } from "../../routes/page_title";
import { roleLabel } from "../../session/roles";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { roleEntries, withoutGroup } from "./role_rules";

export function RolesPage() {
  const loaded = useQuery(() => adminClient.listUsers({ limit: 1 }));
  return (
    <>
      <PageTitle text="Roles" />
      <p class="muted">
        A role comes from a group of the site’s directory and is looked up at
        each log-in. Whoever is in several groups has the highest of their
        roles. The groups are named in the backend’s configuration.
      </p>
      <QueryView loaded={loaded}>
        {({ roles }) => (
          <div class="table-box">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Role</th>
                  <th scope="col">May</th>
                  <th scope="col">Groups</th>
                </tr>
              </thead>
              <tbody>
                {roleEntries(roles).map(({ role, may, groups }) => (
                  <tr key={role} data-testid={`role-${roleLabel(role)}`}>
                    <td>
                      <span class="tag">{roleLabel(role)}</span>
                    </td>
                    <td>{may}</td>
                    <td>
                      {groups.length > 0 ? (
                        <span class="mono">{groups.join(", ")}</span>
                      ) : (
                        <span class="muted">{withoutGroup(role)}</span>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </QueryView>
    </>
  );
}
