// Where the browser keeps what belongs to this version of the playground: its files, and the started Python.

/** Filled in when the playground is written: a hash of its files. */
const VERSION = "{version}";
const PREFIX = "pwtool ";
const SNAPSHOT = "snapshot";

export function kept(): Promise<Cache> {
  return caches.open(PREFIX + VERSION);
}

/** Drop what belongs to other versions. */
export async function clear(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== PREFIX + VERSION);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The memory of a Python that has started, if it was kept. */
export async function snapshot(): Promise<Uint8Array | null> {
  try {
    const found = await (await kept()).match(SNAPSHOT);
    return found ? new Uint8Array(await found.arrayBuffer()) : null;
  } catch {
    // Without a secure connection, or storage, nothing is kept.
    return null;
  }
}

/** Keep such a memory, or drop it; if that is not possible, the next visit starts as slowly as this one. */
export async function keepSnapshot(memory: Uint8Array<ArrayBuffer> | null): Promise<void> {
  try {
    const cache = await kept();
    await (memory ? cache.put(SNAPSHOT, new Response(memory)) : cache.delete(SNAPSHOT));
  } catch (error) {
    console.warn(error);
  }
}
