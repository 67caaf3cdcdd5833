// Lists the images that are being built, and how the job starts until then.
import type { ImageChoice, PendingImage } from "#proto/cluster";
import { pendingLabel } from "../../images/build_labels";
import { useNow } from "../../../ui/use_now";

export function PendingImageNote(props: {
  pending: readonly PendingImage[];
  images: readonly ImageChoice[]; // that the job can start in now
}) {
  const { pending, images } = props;
  const now = useNow(60_000);
  return (
    <>
      {pending.map((image) => (
        <p key={image.id} class="hint" data-testid="pending-image">
          {pendingLabel(image, images, now)}
        </p>
      ))}
    </>
  );
}
