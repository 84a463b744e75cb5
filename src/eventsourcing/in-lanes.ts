/**
 * Runs `work` for all items, with at most `lanes` concurrent calls. After an error, starts no further calls.
 * @throws an error from `work`
 */
export async function inLanes<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  let isStopped = false;
  const lane = async () => {
    for (const item of rest) {
      if (isStopped) return;
      await work(item).catch((error: unknown) => {
        isStopped = true;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
