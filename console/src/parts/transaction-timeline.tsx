import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../api/audit';
import type { Transaction } from '../api/books';
import { saleQuery } from '../api/sales';
import { entityWords } from './audit-words';
import { RecordName, type RecordKind } from './record-name';
import { Timeline, type Related } from './timeline';
import { t } from '../messages/catalogue';

/**
 * The entries besides a transaction's own. A reversal, a sale's transaction and a customer's opening balance have no
 * entry for their creation. Instead, the entry of the same instant belongs to the original transaction, to the sale or
 * to the customer. A return or cancellation is booked on the related sale.
 */
function causesOf(transaction: Transaction, relatedSaleId: string | null | undefined): readonly Related[] {
  const { reversalOf, saleId, type, customerId, createdAt: at } = transaction;
  if (saleId !== null) {
    const booked = relatedSaleId ? [{ entity: 'sale', entityId: relatedSaleId, at }] : [];
    return [{ entity: 'sale', entityId: saleId }, ...booked];
  }
  if (reversalOf !== null) return [{ entity: 'transaction', entityId: reversalOf, at }];
  return type === 'OPENING_BALANCE' && customerId !== null ? [{ entity: 'customer', entityId: customerId, at }] : [];
}

type RecordLink = readonly [label: string, kind: RecordKind, id: string | null | undefined];

function linksOf({ entity, entityId, eventType }: AuditEntry, transaction: Transaction): readonly RecordLink[] {
  const { reversedBy, correctedBy, reversalOf, correctionOf } = transaction;
  const source: readonly RecordLink[] =
    entity === 'sale' || entity === 'customer' ? [[entityWords(entity), entity, entityId]] : [];
  if (/ReplacementRecorded$/.test(eventType)) return [...source, [t('Replaces'), 'transaction', correctionOf]];
  if (!/Cancelled$/.test(eventType)) return source;
  return [
    ...source,
    [t('Reverses'), 'transaction', reversalOf],
    [t('Reversal'), 'transaction', reversedBy?.transactionId],
    [t('Replaced by'), 'transaction', correctedBy],
  ];
}

/** The reason for a change, and links to the records that caused it or that it created. */
function Cause({ entry, transaction }: { entry: AuditEntry; transaction: Transaction }): ReactNode {
  const reason = transaction.reason ?? transaction.reversedBy?.reason ?? null;
  return (
    <>
      {/Cancelled$/.test(entry.eventType) && reason !== null && (
        <div className="k-cause">{t('Reason: {reason}', { reason })}</div>
      )}
      {linksOf(entry, transaction).map(
        ([label, kind, id]) =>
          id && (
            <div className="k-cause" key={label}>
              {label}: <RecordName id={id} kind={kind} />
            </div>
          ),
      )}
    </>
  );
}

/** The changes to a transaction, with those that created it. */
export function TransactionTimeline({ transaction }: { transaction: Transaction }): ReactNode {
  const { id, saleId } = transaction;
  const sale = useQuery({ ...saleQuery(saleId ?? ''), enabled: saleId !== null });
  return (
    <Timeline
      also={causesOf(transaction, sale.data?.relatedSaleId)}
      entity="transaction"
      id={id}
      more={(entry) => <Cause entry={entry} transaction={transaction} />}
    />
  );
}
