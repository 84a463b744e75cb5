import { createHash } from 'node:crypto';

// Proof verification as specified in RFC 9162, sections 2.1.3.2 and 2.1.4.2. Written from the RFC's text, and
// independent of src/. Hashes are in hex.

const node = (left: string, right: string): string =>
  createHash('sha256')
    .update(Buffer.from(`01${left}${right}`, 'hex'))
    .digest('hex');
const isOdd = (number: number): boolean => number % 2 === 1;
const half = (number: number): number => Math.floor(number / 2);

type Leaf = { readonly index: number; readonly size: number; readonly leaf: string; readonly root: string };

export function isIncluded({ index, size, leaf, root }: Leaf, path: readonly string[]): boolean {
  if (index >= size) return false;
  let [fn, sn, r] = [index, size - 1, leaf];
  for (const p of path) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      r = node(p, r);
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else r = node(r, p);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && r === root;
}

type Head = { readonly size: number; readonly rootHash: string };

export function isConsistent(
  { from, to }: { readonly from: Head; readonly to: Head },
  path: readonly string[],
): boolean {
  if (from.size === to.size) return path.length === 0 && from.rootHash === to.rootHash;
  if (path.length === 0) return false;
  const hashes = Number.isInteger(Math.log2(from.size)) ? [from.rootHash, ...path] : [...path];
  let [fn, sn] = [from.size - 1, to.size - 1];
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)];
  const [first = '', ...others] = hashes;
  let [fr, sr] = [first, first];
  for (const c of others) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      [fr, sr] = [node(c, fr), node(c, sr)];
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else sr = node(sr, c);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && fr === from.rootHash && sr === to.rootHash;
}
