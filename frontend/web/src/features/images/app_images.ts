// Which image has which app, and what an image is called.
import type { ImageChoice } from "#proto/cluster";

// In the catalogue's order, so the first is the default for this app.
export function imagesWith(
  app: string,
  images: readonly ImageChoice[],
): ImageChoice[] {
  return images.filter((image) => hasApp(image, app));
}

// An image that names no apps leaves it to the person to try.
export function hasApp({ apps }: ImageChoice, app: string): boolean {
  return apps.length === 0 || apps.includes(app);
}

export function imageName(id: string): string {
  return id === "none" ? "Node's own system" : id;
}
