// With which groups an image is shared, and who may change that.
import type { Image } from "#proto/image";
import { imageClient } from "../api/image_clients";
import { useAct } from "../session/use_act";
import { FailureNote } from "../ui/failure_note";

export function ShareList(props: {
  image: Image;
  onDone?: ((what: string) => void) | undefined; // absent: only to be looked at
}) {
  const { image, onDone } = props;
  const { id, shares, own } = image;
  const act = useAct();
  if (shares.length === 0) return null;
  const approve = (group: string) =>
    act.run(async () => {
      await imageClient.shareImage({ id, group });
      onDone?.(`${id} is shared with ${group}.`);
    });
  const takeBack = (group: string) =>
    act.run(async () => {
      await imageClient.unshareImage({ id, group });
      onDone?.(`${id} is not shared with ${group}.`);
    });
  return (
    <>
      <ul class="tags">
        {shares.map(({ group, approvedBy, mayApprove }) => (
          <li key={group} class="share" data-test={`share-${group}`}>
            <span class="tag">
              {approvedBy
                ? `shared with ${group} by ${approvedBy}`
                : `offered to ${group}`}
            </span>
            {onDone && mayApprove && (
              <button
                class="link-button"
                type="button"
                data-test={`approve-${group}`}
                aria-disabled={act.busy}
                onClick={() => void approve(group)}
              >
                Approve
              </button>
            )}
            {onDone && (own || mayApprove) && (
              <button
                class="link-button"
                type="button"
                data-test={`unshare-${group}`}
                aria-disabled={act.busy}
                onClick={() => void takeBack(group)}
              >
                {own ? "Take back" : "Refuse"}
              </button>
            )}
          </li>
        ))}
      </ul>
      {act.failure && <FailureNote failure={act.failure} />}
    </>
  );
}
