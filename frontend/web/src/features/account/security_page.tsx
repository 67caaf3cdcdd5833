// The second factors, recovery codes and password of one's own account.
import { factorClient } from "../../api/account";
import { PageTitle } from "../../routes/page_title";
import { useLoaded } from "../../session/use_query";
import { LoadedView } from "../../ui/loaded_view";
import { FactorsPanel } from "./factors_panel";
import { PasswordPanel } from "./password_panel";
import { RecoveryPanel } from "./recovery_panel";

export function SecurityPage() {
  const loaded = useLoaded(() => factorClient.listFactors({}));
  return (
    <>
      <PageTitle text="Security" />
      <LoadedView loaded={loaded}>
        {(account) => (
          <>
            <FactorsPanel account={account} onChanged={loaded.reload} />
            <RecoveryPanel
              left={account.recoveryCodesLeft}
              onChanged={loaded.reload}
            />
          </>
        )}
      </LoadedView>
      <PasswordPanel />
    </>
  );
}
