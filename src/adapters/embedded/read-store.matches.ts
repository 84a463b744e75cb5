import { Bits } from './read-store.bits.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import { termIn, type Criteria, type Target } from './read-store.criteria.js';
import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { joinIndex } from './read-store.ddl.js';
import type { KeptBits } from './read-store.kept.js';
import { BASE, prefixFor, type TableShape } from './read-store.shape.js';

/** A set with at most this many hits is not worth caching. */
export const FEW = 1_000;

/**
 * Finds the documents that meet each criterion, as bit sets. Large sets are cached. New documents have higher ordinals,
 * so only their part of the index is read to extend a cached set.
 */
export class Matches {
  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly catalog: ReadStoreCatalog,
    private readonly kept: KeptBits,
    private readonly few: number,
  ) {}

  /**
   * Returns the documents that match all terms, groups and words, or undefined if the criteria contain none of these.
   */
  of(target: Target, { terms, groups, words, joinedWhere }: Criteria): Bits | undefined {
    const sets = words.map((word) => this.havingWord(target, word, joinedWhere));
    for (const group of groups)
      sets.push(
        group.map((term) => this.having(target, term)).reduce((some, one) => some.or(one), new Bits(target.state.last)),
      );
    if (terms.length > 0) sets.push(this.havingTerms(target, terms));
    return sets.length === 0 ? undefined : sets.reduce((all, one) => all.and(one));
  }

  /** Returns the documents from `first` to `last` that match all terms. Reads only this part of the index. */
  among({ shape, scope }: Target, terms: readonly string[], first: number, last: number): Bits {
    const sql = `SELECT json_group_array(rowid - ${BASE}) FROM ${shape.terms}(?)
      WHERE rowid BETWEEN ${BASE} + ? AND ${BASE} + ?`;
    return new Bits(last).addJson(this.json(sql, scope, terms.map(quoted).join(' AND '), scope, first, scope, last));
  }

  private havingTerms(target: Target, terms: readonly string[]): Bits {
    const { shape, scope, state } = target;
    const some = `SELECT json_group_array(rowid - ${BASE}) FROM (SELECT rowid FROM ${shape.terms}(?) LIMIT ?)`;
    const found = this.json(some, scope, terms.map(quoted).join(' AND '), this.few);
    const bits = new Bits(state.last).addJson(found);
    if (bits.count < this.few) return bits;
    return terms.map((term) => this.having(target, term)).reduce((all, one) => all.and(one));
  }

  private having(target: Target, term: string): Bits {
    const { terms } = target.shape;
    return this.keep(target, term, '', (after) => this.matching(target, terms, quoted(term), after));
  }

  /** Returns the documents that contain a word with the prefix, or that refer to a document with such a word. */
  private havingWord(target: Target, word: string, joinedWhere: Criteria['joinedWhere']): Bits {
    const { shape, scope } = target;
    const prefix = `${quoted(prefixFor(scope, word))}*`;
    const sets = shape.joins.map((join) => {
      const other = this.catalog.liveTable(join.model);
      if (!other) return new Bits(target.state.last);
      const { changes, last } = this.catalog.state(other, scope);
      const columns = join.texts.map((name) => `t${textAt(other, name)}`);
      const named = other.texts.length === 1 ? prefix : `{${columns.join(' ')}} : ${prefix}`;
      const terms = Object.entries(joinedWhere).map(([field, value]) => quoted(termIn(other, scope, field, value)));
      // The unary plus keeps SQLite from running the full-text query once for each row number.
      const within = terms.length === 0 ? '' : `AND +o.number IN (SELECT rowid FROM ${other.terms}(?))`;
      const among = terms.length === 0 ? [] : [terms.join(' AND ')];
      const index = target.isIndexed ? `INDEXED BY ${joinIndex(shape, join.column)}` : '';
      const sql = `SELECT json_group_array(m.number - ${BASE}) FROM ${other.words}(?) w
        CROSS JOIN ${other.main} o ON o.number = w.rowid ${within}
        CROSS JOIN ${shape.main} m ${index} ON m.scope = ? AND m.${join.column.sql} = o.id AND m.dead = 0 AND m.number > ${BASE} + ?`;
      return this.keep(target, [join.field, word, ...among].join(' '), `${other.name} ${changes} ${last}`, (after) =>
        this.json(sql, scope, named, ...among, scope, scope, after),
      );
    });
    if (shape.texts.length > 0)
      sets.push(this.keep(target, prefix, '', (after) => this.matching(target, shape.words, prefix, after)));
    return sets.reduce((some, others) => some.or(others), new Bits(target.state.last));
  }

  private matching({ scope }: Target, table: string, expression: string, after: number): string {
    const sql = `SELECT json_group_array(rowid - ${BASE}) FROM ${table}(?) WHERE rowid > ${BASE} + ?`;
    return this.json(sql, scope, expression, scope, after);
  }

  private keep(target: Target, criterion: string, on: string, read: (after: number) => string): Bits {
    return this.kept.of(target, criterion, on, (bits, after) => bits.addJson(read(after)));
  }

  private json(sql: string, ...values: Value[]): string {
    return this.db.get(sql, ...values)?.[0] as string;
  }
}

/**
 * Quotes a string for a full-text query. Terms and words contain only letters, digits and underscores, so nothing needs
 * to be escaped.
 */
const quoted = (word: string): string => `"${word}"`;

function textAt({ model, texts }: TableShape, name: string): number {
  const at = texts.indexOf(name);
  if (at < 0) throw new RangeError(`Read model ${model.name} has no searched text ${JSON.stringify(name)}`);
  return at;
}
