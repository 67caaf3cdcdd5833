import { Factor } from "#proto/auth";
import type { EnrolledFactor } from "#proto/factors";
import { factorClient } from "../../api/account";
import { useFreshFactor } from "../../session/reauthentication_context";
import { useAct } from "../../session/use_mutation";
import { ConfirmDialog } from "../../ui/confirm_dialog";

export function RemoveFactorDialog(props: {
  factor: EnrolledFactor;
  done(what: string): void;
  close(): void;
}) {
  const { factor, done, close } = props;
  const withFreshFactor = useFreshFactor();
  const act = useAct();
  const remove = () =>
    act.run(async () => {
      const { id } = factor;
      await withFreshFactor(() => factorClient.removeFactor({ id }));
      done(`“${factor.name}” was removed.`);
    });
  return (
    <ConfirmDialog
      title={`Remove “${factor.name}”?`}
      act={act}
      confirm="Remove it"
      onConfirm={() => void remove()}
      close={close}
    >
      <p>
        It no longer lets anybody in.
        {factor.kind === Factor.PASSKEY &&
          " The key itself keeps its entry for Carme until you delete it there."}
      </p>
    </ConfirmDialog>
  );
}
