// Second factors, recovery codes and password.
import { factorClient } from "../../api/account";
import { PageTitle } from "../../routes/page_title";
import { useQuery } from "../../session/use_query";
import { QueryView } from "../../ui/loaded_view";
import { FactorsPanel } from "./factors_panel";
import { PasswordPanel } from "./password_panel";
import { RecoveryPanel } from "./recovery_panel";
import { messages } from "#messages/account";

export function SecurityPage() {
  const loaded = useQuery(() => factorClient.listFactors({}));
  return (
    <>
      <PageTitle text={messages.security} />
      <QueryView loaded={loaded}>
        {(account) => (
          <>
            <FactorsPanel account={account} onChanged={loaded.reload} />
            <RecoveryPanel
              left={account.recoveryCodesLeft}
              onChanged={loaded.reload}
            />
          </>
        )}
      </QueryView>
      <PasswordPanel />
    </>
  );
}
