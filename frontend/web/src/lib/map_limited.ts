// Runs a call for each item, some at a time.

// The results in the order of the items. The first error ends it.
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  parallel: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await run(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}
