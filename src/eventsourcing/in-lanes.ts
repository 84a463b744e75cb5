/** Runs `work` for all items, `lanes` of them at a time. After an error, no further item is started. @throws that error */
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
