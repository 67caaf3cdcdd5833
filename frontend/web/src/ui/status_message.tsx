// What was just done, for the eye and for a screen reader. Always in the page,
// so that what appears in it is heard.
export function News({ text }: { text: string }) {
  return (
    <p class="news" role="status" data-test="news">
      {text}
    </p>
  );
}
