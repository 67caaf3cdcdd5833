// The shares of an image, with actions for those who may change them.
import type { Image, ImageShare } from "#proto/image";
import { imageClient } from "../../api/image";
import { useProjects } from "../projects/projects_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { partnerOf } from "./image_labels";
import { messages } from "#messages/images";

export function ShareList(props: {
  image: Image;
  onDone?: ((what: string) => void) | undefined; // absent: read-only
}) {
  const { image, onDone } = props;
  const { id, shares, own } = image;
  const mutation = useMutation();
  const projects = useProjects();
  if (shares.length === 0) return null;
  const nameOf = (share: ImageShare) => partnerOf(share, projects);
  const approve = (share: ImageShare) =>
    mutation.run(async () => {
      const { group, project } = share;
      await imageClient.shareImage({ id, group, project });
      onDone?.(messages.imageShared({ id, partner: nameOf(share) }));
    });
  const takeBack = (share: ImageShare) =>
    mutation.run(async () => {
      const { group, project } = share;
      await imageClient.unshareImage({ id, group, project });
      onDone?.(messages.imageUnshared({ id, partner: nameOf(share) }));
    });
  return (
    <>
      <ul class="tags">
        {shares.map((share) => {
          const { group, project, approvedBy, mayApprove } = share;
          const key = project || group;
          return (
            <li
              key={`${group}/${project}`}
              class="share"
              data-testid={`share-${key}`}
            >
              <span class="tag">
                {approvedBy
                  ? messages.shareApproved({
                      partner: nameOf(share),
                      approver: approvedBy,
                    })
                  : messages.shareOffered({ partner: nameOf(share) })}
              </span>
              {onDone && mayApprove && (
                <button
                  class="link-button"
                  type="button"
                  data-testid={`approve-${key}`}
                  aria-disabled={mutation.busy}
                  onClick={() => void approve(share)}
                >
                  {approvedBy ? messages.retryCopy : messages.approve}
                </button>
              )}
              {onDone && (own || (mayApprove && !approvedBy)) && (
                <button
                  class="link-button"
                  type="button"
                  data-testid={`unshare-${key}`}
                  aria-disabled={mutation.busy}
                  onClick={() => void takeBack(share)}
                >
                  {own ? messages.withdraw : messages.reject}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {mutation.failure && <FailureNote failure={mutation.failure} />}
    </>
  );
}
