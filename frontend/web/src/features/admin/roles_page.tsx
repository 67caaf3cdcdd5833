// What each role may do, and the directory groups that grant it.
import { adminClient } from "../../api/admin";
import { PageTitle } from "../../routes/page_title";
import { roleLabel } from "../../session/roles";
import { useQuery } from "../../session/use_query";
import { Icon } from "../../ui/icon";
import { QueryView } from "../../ui/loaded_view";
import { TableBox } from "../../ui/table_box";
import { kPermissions, kRoles, roleEntries, withoutGroup } from "./role_rules";
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
            <table class="table role-matrix">
              <thead>
                <tr>
                  <th scope="col">{messages.permission}</th>
                  {kRoles.map((role) => (
                    <th key={role} scope="col">
                      {roleLabel(role)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                <tr>
                  <th scope="row">{messages.groups}</th>
                  {roleEntries(roles).map(({ role, groups }) => (
                    <td key={role} data-testid={`role-${roleLabel(role)}`}>
                      {groups.length > 0 ? (
                        <span class="mono small">{groups.join(", ")}</span>
                      ) : (
                        <span class="muted small">{withoutGroup(role)}</span>
                      )}
                    </td>
                  ))}
                </tr>
                {kPermissions.map(({ text, roles: allowed }) => (
                  <tr key={text}>
                    <th scope="row">{text}</th>
                    {kRoles.map((role) => (
                      <td key={role}>
                        {allowed.includes(role) ? (
                          <>
                            <Icon name="check" />
                            <span class="sr-only">{messages.isAllowed}</span>
                          </>
                        ) : (
                          <>
                            <span class="muted" aria-hidden="true">
                              –
                            </span>
                            <span class="sr-only">{messages.notAllowed}</span>
                          </>
                        )}
                      </td>
                    ))}
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
