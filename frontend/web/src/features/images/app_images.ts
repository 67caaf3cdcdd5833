// Images by app, and display names of images.
import type { ImageChoice } from "#proto/cluster";

// In the catalog's order: the first one is the default for this app.
export function imagesWith(
  app: string,
  images: readonly ImageChoice[],
): ImageChoice[] {
  return images.filter((image) => hasApp(image, app));
}

// An image without a list of apps may have any app.
export function hasApp({ apps }: ImageChoice, app: string): boolean {
  return apps.length === 0 || apps.includes(app);
}

export function imageName(id: string): string {
  return id === "none" ? "No container (host system)" : id;
}
