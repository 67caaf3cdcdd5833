// Images by app, and display names of images.
import type {
  GetClusterResponse,
  ImageChoice,
  PendingImage,
} from "#proto/cluster";
import { messages } from "#messages/images";

// In the catalog's order: the first one is the default for this app.
export function imagesWith(
  app: string,
  images: readonly ImageChoice[],
): ImageChoice[] {
  return images.filter((image) => hasApp(image, app));
}

// An image without a list of apps may have any app.
export function hasApp(
  { apps }: Pick<ImageChoice | PendingImage, "apps">,
  app: string,
): boolean {
  return apps.length === 0 || apps.includes(app);
}

// Whether an image with this app is being built and no other image has it.
export function awaitsImage(
  app: string,
  {
    images,
    pendingImages,
  }: Pick<GetClusterResponse, "images" | "pendingImages">,
): boolean {
  return (
    pendingImages.some(({ apps }) => apps.includes(app)) &&
    !imagesWith(app, images).some(({ id }) => id !== "none")
  );
}

export function imageName(id: string): string {
  return id === "none" ? messages.hostSystem : id;
}
