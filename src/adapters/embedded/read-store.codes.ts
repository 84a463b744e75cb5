import type { ReadStoreDatabase, Value } from './read-store.database.js';

/** Values are forgotten all at once when there are more; they are only looked up again then. */
const MAX_KNOWN = 200_000;

/**
 * Small numbers, from 1, that stand for the values of a scope in the columns of large tables. They are common to all
 * tables, so that columns of different tables can be compared, and never given to another value.
 */
export class ReadStoreCodes {
  private readonly known = new Map<number, Map<Value, number>>();
  private size = 0;

  constructor(private readonly db: ReadStoreDatabase) {}

  /** 0 where no document ever had the value. */
  find(scope: number, value: Value): number {
    const row = this.db.get('SELECT code FROM kontor_codes WHERE scope = ? AND value = ?', scope, value);
    return Number(row?.[0] ?? 0);
  }

  /** Inside of the writer's transaction: when that is rolled back, `forget` must be called. */
  give(scope: number, value: Value): number {
    let codes = this.known.get(scope);
    const known = codes?.get(value);
    if (known !== undefined) return known;
    if (this.size >= MAX_KNOWN) this.forget();
    if (!codes || this.size === 0) this.known.set(scope, (codes = new Map<Value, number>()));
    const found = this.find(scope, value);
    const code =
      found || this.db.run('INSERT INTO kontor_codes (scope, value) VALUES (?, ?)', scope, value).lastInsertRowid;
    codes.set(value, code);
    this.size += 1;
    return code;
  }

  forget(): void {
    this.known.clear();
    this.size = 0;
  }
}

/** Codes as they are stored. */
export const bytesOf = (data: Uint32Array): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
export function codesIn(bytes: Uint8Array): Uint32Array {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(whole.buffer, whole.byteOffset, whole.byteLength / 4);
}
