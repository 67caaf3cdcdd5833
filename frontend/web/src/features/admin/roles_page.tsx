// The roles and the directory groups that grant them.
import { adminClient } from "../../api/admin";
import { PageTitle } from "../../routes/page_title";
import { roleLabel } from "../../session/roles";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { roleEntries, withoutGroup } from "./role_rules";
import { TableBox } from "../../ui/table_box";
import { messages } from "#messages/admin";

export function RolesPage() {
  const loaded = useQuery(() => adminClient.listUsers({ pageSize: 1 }));
  return (
    <>
      <PageTitle text={messages.roles} />
      <p class="muted">{messages.directoryGroupsGrantRolesAnd}</p>
      <QueryView loaded={loaded}>
        {({ roles }) => (
          <TableBox label={messages.roles}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{messages.role}</th>
                  <th scope="col">{messages.permissions}</th>
                  <th scope="col">{messages.groups}</th>
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
          </TableBox>
        )}
      </QueryView>
    </>
  );
}
